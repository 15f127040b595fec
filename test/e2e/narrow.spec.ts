import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test.use({ viewport: { width: 900, height: 600 } })

test('in a narrow window the sidebar opens over the content', async ({ view, instance }) => {
  const app = new App(view, instance)
  const sidebar = view.getByRole('complementary', { name: 'Sidebar' })
  await makeTern(instance)
  await app.enter('/root/tern')
  await expect(app.heading('tern')).toBeVisible()
  await expect(sidebar).toBeHidden()
  const before = await app.main.boundingBox()

  await view.keyboard.press('ControlOrMeta+\\')
  await expect(sidebar).toBeVisible()
  expect(await app.main.boundingBox()).toEqual(before)
  await app.entry('Projects').click()
  await expect(app.heading('Projects')).toBeVisible()
  await expect(sidebar).toBeHidden()

  await view.getByRole('button', { name: 'Show sidebar' }).click()
  await expect(sidebar).toBeVisible()
  await view.mouse.click(700, 400)
  await expect(sidebar).toBeHidden()
})

test('in a narrow window the changed files are a list behind a button', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { tree } = await makeTern(instance)
  const id = await tree.commit(
    'Touch many files',
    Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`notes/${n}.md`, `# ${n}\n`.repeat(30)])),
  )
  await tree.push('main')
  await app.enter(`/root/tern/-/commit/${id}`)
  const changes = view.getByRole('region', { name: 'Changes' })
  const files = view.getByRole('tree', { name: 'Changed files' })
  await expect(changes.locator('.is-unified').first()).toBeVisible()
  await expect(files).toBeHidden()
  await view.getByRole('button', { name: 'Changed files' }).click()
  await files.getByRole('treeitem', { name: /^9\.md/ }).click()
  await expect(files).toBeHidden()
  await expect(changes).toContainText('notes/9.md')
  await view.keyboard.press('t')
  await expect(view.getByRole('textbox', { name: 'Filter files' })).toBeFocused()
  await view.keyboard.press('Escape')
  await expect(files).toBeHidden()
  expect(await view.evaluate(() => document.documentElement.scrollWidth)).toBe(900)
})
