import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('conflicts are resolved with the keyboard, by choice and by hand, and the result is merged', async ({
  view,
  instance,
}) => {
  test.slow()
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id, tree } = await makeTern(instance)
  const path = 'src/tide.rs'
  const text = await tree.git('show', `main:${path}`)
  const change = (height: string, cos: string) =>
    `${text.replace('Heights from', `Heights in ${height} from`).replace('.cos()', cos)}\n`
  await tree.git('checkout', '--quiet', '-b', 'feet', 'main')
  await tree.commit('Heights in feet', { [path]: change('feet', '.cos().abs()'), 'notes.md': 'In feet.\n' })
  await tree.git('checkout', '--quiet', 'main')
  await tree.commit('Heights in fathoms', {
    [path]: change('fathoms', '.sin()'),
    'notes.md': 'In fathoms.\n',
  })
  await tree.push('feet', 'main')
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'feet',
    target_branch: 'main',
    title: 'Heights in feet',
  })

  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(mine.box).toContainText('Conflicts with main')
  await expect(mine.box.getByRole('button', { name: 'Rebase' })).toHaveCount(0)
  await mine.box.getByRole('link', { name: 'Resolve conflicts' }).click()
  await expect(app.heading('Resolve conflicts')).toBeVisible()
  const files = view.getByRole('navigation', { name: 'Conflicting files' })
  await expect(files.getByRole('button')).toHaveText(['notes.md', path])
  const commit = view.getByRole('button', { name: /^Commit to feet/ })
  await expect(commit).toBeDisabled()
  await expect(view.getByLabel('Commit message')).toHaveValue(/^Merge branch 'main' into 'feet'/)

  // The first file is resolved by choices.
  await view.keyboard.press('j')
  const first = view.getByRole('region', { name: 'Conflict 1 of 2' })
  const second = view.getByRole('region', { name: 'Conflict 2 of 2' })
  await expect(first).toContainText('in feet')
  await expect(first).toContainText('in fathoms')
  await view.keyboard.press('n')
  await expect(first).toBeFocused()
  await view.keyboard.press('1')
  await expect(first).toContainText('Resolved')
  await view.keyboard.press('n')
  await expect(second).toBeFocused()
  await view.keyboard.press('2')
  await expect(files.getByRole('button', { name: /tide/ }).getByLabel('Resolved')).toBeVisible()
  await view.getByRole('radio', { name: 'Result' }).click()
  await expect(view.locator('.dl.add')).toContainText('.sin()')

  // The second file is resolved by hand. Remaining markers prevent the commit.
  await view.keyboard.press('k')
  await view.getByRole('radio', { name: 'Edit file' }).click()
  const editor = view.getByRole('textbox', { name: /^Content of notes.md/ })
  await expect(editor).toContainText('<<<<<<< feet')
  await replaceText(editor, 'In feet.\n=======\n>>>>>>> main\n')
  await expect(commit).toBeDisabled()
  await replaceText(editor, 'In feet and fathoms.\n')
  await expect(view.getByText('All conflicts are resolved')).toBeVisible()
  await commit.click()

  await expect(view).toHaveURL(`${instance.url}/root/tern/-/merge_requests/${iid}`)
  await expect(mine.box).toContainText('Ready to merge')
  await tree.git('fetch', '--quiet', 'origin')
  const merged = (file: string) => tree.git('show', `origin/feet:${file}`)
  expect(await merged('notes.md')).toBe('In feet and fathoms.')
  expect(await merged(path)).toBe(change('feet', '.sin()').trimEnd())
  await mine.box.getByRole('button', { name: /^Merge/ }).click()
  await expect(mine.end).toContainText(/merged/i)
})

test('a message reports that the branch moved, and the conflicts are loaded again', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id, tree } = await makeTern(instance)
  await tree.git('checkout', '--quiet', '-b', 'feet', 'main')
  await tree.commit('Notes', { 'notes.md': 'In feet.\n' })
  await tree.git('checkout', '--quiet', 'main')
  await tree.commit('Other notes', { 'notes.md': 'In fathoms.\n' })
  await tree.push('feet', 'main')
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'feet',
    target_branch: 'main',
    title: 'Notes',
  })
  await app.enter(`/root/tern/-/merge_requests/${iid}/conflicts`)
  const conflict = view.getByRole('region', { name: 'Conflict 1 of 1' })
  await conflict.getByRole('button', { name: 'Use both' }).click()
  await expect(conflict).toContainText('Resolved')
  await tree.git('checkout', '--quiet', 'feet')
  await tree.commit('More notes', { 'notes.md': 'In feet, really.\n' })
  await tree.push('feet')
  await view.getByRole('button', { name: /^Commit to feet/ }).click()
  await expect(view.getByText('The branches have changed. Load the conflicts again.')).toBeVisible()
  await view.getByRole('button', { name: 'Load again' }).click()
  await expect(conflict).toContainText('In feet, really.')
  await expect(conflict).toContainText('Unresolved')

  // Leaving the page with uncommitted choices asks first.
  await conflict
    .getByRole('button', { name: /^Use these lines/ })
    .first()
    .click()
  await view
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: `!${iid}` })
    .click()
  await view.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(conflict).toContainText('Resolved')
})
