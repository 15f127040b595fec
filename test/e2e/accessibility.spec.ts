import AxeBuilder from '@axe-core/playwright'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { everyView, show } from './support/views.ts'

/** What keeps people out; lesser findings are read in the report of the picture, not here. */
const grave = new Set(['serious', 'critical'])

/** What a theme can change; the rest of a view is the same in both. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

async function findings(app: App, rules?: readonly string[]): Promise<string[]> {
  const builder = new AxeBuilder({ page: app.page })
  const { violations } = await (rules ? builder.withRules([...rules]) : builder).analyze()
  return violations
    .filter((one) => grave.has(one.impact ?? ''))
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target.join(' ')}`))
}

for (const scheme of ['light', 'dark'] as const) {
  const rules = scheme === 'dark' ? rulesOfColour : undefined

  test.describe(`in the ${scheme} theme`, () => {
    test.use({ colorScheme: scheme, contextOptions: { reducedMotion: 'reduce' } })

    test('no view keeps anybody out', async ({ view, instance }) => {
      test.slow()
      const app = new App(view, instance)
      const views = await everyView(instance)
      await app.enter('/')
      for (const one of views) {
        await test.step(one.name, async () => {
          await show(app, one)
          expect.soft(await findings(app, rules), one.name).toEqual([])
        })
      }
    })

    test('neither do the sign-in, the palette and the dialogs', async ({ view, instance }) => {
      const app = new App(view, instance)
      await app.open('/users/sign_in')
      await expect(app.heading('Sign in')).toBeVisible()
      expect.soft(await findings(app, rules), 'sign in').toEqual([])
      await app.enter('/projects')
      await expect(view.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
      await app.jump('set')
      await expect(app.palette.getByRole('option').first()).toBeVisible()
      expect.soft(await findings(app, rules), 'palette').toEqual([])
      await view.keyboard.press('Escape')
      await expect(app.palette).toBeHidden()
      await view.keyboard.press('?')
      await expect(view.getByRole('dialog')).toBeVisible()
      expect.soft(await findings(app, rules), 'all keys').toEqual([])
      await app.open('/-/profile/personal_access_tokens')
      await view.getByRole('button', { name: 'New token' }).click()
      await expect(view.getByRole('dialog')).toBeVisible()
      expect.soft(await findings(app, rules), 'new token').toEqual([])
    })
  })
}
