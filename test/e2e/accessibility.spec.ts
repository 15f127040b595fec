import axeCore from 'axe-core'

import { App } from './pages/app.ts'
import { FirstRunPage } from './pages/first-run.ts'
import { sliceOf } from '../support/slice.ts'
import { expect, test } from './support/instance.ts'
import { everyView, goTo } from './support/views.ts'

// A trace of these steps would cost more time than the steps, and a finding names its element.
test.use({ contextOptions: { reducedMotion: 'reduce' }, trace: 'off' })
// These are the slowest journeys, and they are independent of each other.
test.describe.configure({ mode: 'parallel' })

/** The impact of findings that fail a test. */
const grave = new Set(['serious', 'critical'])
/** The rules that depend on the theme. The other rules have the same result in both themes. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** The options of axe: all rules, or only the given ones. The views have no frames of other hosts, so axe loads nothing more. */
const axeOptions = (rules?: readonly string[]) => ({
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

/** Checks the current page, in the light theme and then in the dark one. */
async function findings({ page }: Pick<App, 'page'>): Promise<string[]> {
  const found: string[] = []
  // axe is added once for each document.
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
      axeOptions(colorScheme === 'dark' ? rulesOfColour : undefined),
    )
    for (const violation of violations.filter(({ impact }) => grave.has(impact ?? '')))
      found.push(
        ...violation.nodes.map((node) => `${colorScheme}, ${violation.id}: ${node.target.join(' ')}`),
      )
  }
  return found
}

/** Each run checks another slice of the views. `npm run test:deep` checks all of them, in parts that fit into the time limit of a test. */
const PARTS = process.env['DESKFORGE_TEST_DEEP'] ? 2 : 1
for (let part = 0; part < PARTS; part += 1)
  test(`no view has an accessibility problem, light or dark, part ${part + 1} of ${PARTS}`, async ({
    view,
    instance,
  }) => {
    test.slow()
    const app = new App(view, instance)
    const views = sliceOf(await everyView(instance), ({ name }) => name)
    await app.enter('/')
    // The router must be ready before it can navigate.
    await expect(app.heading('Home')).toBeVisible()
    for (const view of views.filter((_, index) => index % PARTS === part)) {
      await test.step(view.name, async () => {
        await goTo(app, view)
        expect.soft(await findings(app), view.name).toEqual([])
      })
    }
  })

test('the sign-in, the palette and the dialogs have no accessibility problem', async ({ view, instance }) => {
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

  test('the first run has no accessibility problem', async ({ view, instance }) => {
    const app = new App(view, instance)
    const run = new FirstRunPage(view)
    await app.open('/')
    await run.field('Name').fill('Mara Lindqvist')
    await run.field('Username').fill('mara')
    await run.field('Email').fill('mara@saltmarsh.test')
    await run.field('Password').fill('a harbour at low tide')
    for (const title of ['Who you are', 'Data folder', 'What to try', 'Ready']) {
      // The demo project is created between the last two steps, which takes some time.
      await expect(app.heading(title)).toBeVisible({ timeout: 150_000 })
      expect.soft(await findings(app), title).toEqual([])
      if (title !== 'Ready') await run.goOn.click()
    }
  })
})
