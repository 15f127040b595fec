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

test.describe('in the browser of a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('every button of a world and of a recorded request is in the window', async ({ view, instance }) => {
    const app = new App(view, instance)
    await app.enter('/-/workbench/worlds')
    for (const name of ['Save this instance', 'Open file', 'Check', 'Apply'])
      await expect(view.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })

    await view.getByRole('link', { name: 'Inspector' }).first().click()
    await view.getByRole('button', { name: 'Switch on' }).click()
    await instance.api('POST', '/projects', { name: 'phone' })
    await view.getByRole('link', { name: /^POST/ }).click()
    await expect(app.heading(/^POST/)).toBeInViewport({ ratio: 1 })
    for (const name of [/^Copy as/, /^Compare/, /^Send again/])
      await expect(view.getByRole('button', { name })).toBeInViewport({ ratio: 1 })
  })

  test('the details of an issue follow its comments', async ({ view, instance }) => {
    const app = new App(view, instance)
    const { id } = await makeTern(instance)
    const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/issues`, { title: 'Small' })
    await app.enter(`/root/tern/-/issues/${iid}`)
    const details = view.getByRole('complementary', { name: 'Details' })
    const comment = view.getByRole('textbox', { name: 'Comment' })
    await expect(comment).toBeInViewport({ ratio: 1 })
    await details.scrollIntoViewIfNeeded()
    await expect(details).toContainText('Milestone')
    const [above, below] = [await comment.boundingBox(), await details.boundingBox()]
    expect(below!.y).toBeGreaterThan(above!.y + above!.height)
    expect(above!.width).toBeGreaterThan(220)
  })
})
