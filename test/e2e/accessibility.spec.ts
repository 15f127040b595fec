import axeCore from 'axe-core'

import { App } from './pages/app.ts'
import { FirstRunPage } from './pages/first-run.ts'
import { sliceOf } from '../support/slice.ts'
import { expect, test } from './support/instance.ts'
import { everyView, goTo } from './support/views.ts'

// A recording of every step would cost more than the steps; a finding names its element.
test.use({ contextOptions: { reducedMotion: 'reduce' }, trace: 'off' })
// The longest of all; its parts need not wait for each other.
test.describe.configure({ mode: 'parallel' })

/** What keeps people out. */
const grave = new Set(['serious', 'critical'])
/** What a theme can change; the rest of a view is the same in both. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** What axe is asked: everything, or some rules only. It loads nothing more, and the views have no frames of others. */
const asked = (rules?: readonly string[]) => ({
  resultTypes: ['violations'],
  preload: false,
  iframes: false,
  ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
})

interface Violation {
  id: string
  impact: string | null
  nodes: { target: string[] }[]
}

/** Looks at what is shown, in the light theme and then in the dark one. */
async function findings({ page }: Pick<App, 'page'>): Promise<string[]> {
  const found: string[] = []
  // Once for as long as the window is not loaded anew.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const violations = await page.evaluate(
      async (options) => {
        const { axe } = window as unknown as {
          axe: { run(options: object): Promise<{ violations: Violation[] }> }
        }
        return (await axe.run(options)).violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          nodes: nodes.map(({ target }) => ({ target })),
        }))
      },
      asked(colorScheme === 'dark' ? rulesOfColour : undefined),
    )
    for (const one of violations.filter(({ impact }) => grave.has(impact ?? '')))
      found.push(...one.nodes.map((node) => `${colorScheme}, ${one.id}: ${node.target.join(' ')}`))
  }
  return found
}

/** Another slice of the many views in each run; all of them under `npm run test:deep`, in parts that keep within the time of a test. */
const PARTS = process.env['DESKFORGE_TEST_DEEP'] ? 2 : 1
for (let part = 0; part < PARTS; part += 1)
  test(`no view keeps anybody out, light or dark, part ${part + 1} of ${PARTS}`, async ({
    view,
    instance,
  }) => {
    test.slow()
    const app = new App(view, instance)
    const views = sliceOf(await everyView(instance), ({ name }) => name)
    await app.enter('/')
    // The router has to be ready before it can go elsewhere.
    await expect(app.heading('Home')).toBeVisible()
    for (const one of views.filter((_, index) => index % PARTS === part)) {
      await test.step(one.name, async () => {
        await goTo(app, one)
        expect.soft(await findings(app), one.name).toEqual([])
      })
    }
  })

test('neither do the sign-in, the palette and the dialogs', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.open('/users/sign_in')
  await expect(app.heading('Sign in')).toBeVisible()
  expect.soft(await findings(app), 'sign in').toEqual([])
  await app.enter('/projects')
  await expect(view.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  await app.jump('set')
  await expect(app.palette.getByRole('option').first()).toBeVisible()
  expect.soft(await findings(app), 'palette').toEqual([])
  await view.keyboard.press('Escape')
  await expect(app.palette).toBeHidden()
  await view.keyboard.press('?')
  await expect(view.getByRole('dialog')).toBeVisible()
  expect.soft(await findings(app), 'all keys').toEqual([])
  await app.open('/-/profile/personal_access_tokens')
  await view.getByRole('button', { name: 'New token' }).click()
  await expect(view.getByRole('dialog')).toBeVisible()
  expect.soft(await findings(app), 'new token').toEqual([])
})

test.describe('on a new instance', () => {
  test.use({ instanceOptions: { state: 'new' } })

  test('nor does the first run', async ({ view, instance }) => {
    const app = new App(view, instance)
    const run = new FirstRunPage(view)
    await app.open('/')
    await run.field('Name').fill('Mara Lindqvist')
    await run.field('Username').fill('mara')
    await run.field('Email').fill('mara@saltmarsh.test')
    await run.field('Password').fill('a harbour at low tide')
    for (const title of ['Who you are', 'Data folder', 'What to try', 'Ready']) {
      // Between the last two the project to look around in is made, which takes a while.
      await expect(app.heading(title)).toBeVisible({ timeout: 150_000 })
      expect.soft(await findings(app), title).toEqual([])
      if (title !== 'Ready') await run.goOn.click()
    }
  })
})
