import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('several files are edited, kept over a reload, reviewed, and committed at once', async ({
  view,
  instance,
}) => {
  test.slow()
  const app = new App(view, instance)
  const { tree } = await makeTern(instance)
  await app.enter('/root/tern')
  await view.getByRole('button', { name: 'New', exact: true }).click()
  await view.getByRole('menuitem', { name: 'Edit files' }).click()
  await expect(app.heading('Edit files')).toBeVisible()
  const branch = view.getByRole('list', { name: 'Files of the branch' })
  const changed = view.getByRole('list', { name: 'Changed files' })
  const path = view.getByLabel('File path')
  const text = view.getByRole('textbox', { name: /^Contents of / })
  const commit = view.getByRole('button', { name: /^Commit/ })
  await expect(commit).toBeDisabled()

  // Edits a file, renames another one, deletes a third one and adds a fourth one.
  await branch.getByRole('button', { name: 'Cargo.toml' }).click()
  await replaceText(text, '[package]\nname = "tern"\nversion = "0.2.0"\n')
  await branch.getByRole('button', { name: 'docs/gauge.md' }).click()
  await path.fill('src/tide.rs')
  await expect(view.getByRole('alert')).toHaveText('A file has this path already')
  await expect(commit).toBeDisabled()
  await path.fill('docs/a-gauge.md')
  await branch.getByRole('button', { name: 'docs/gauge.svg' }).click()
  await view.getByRole('button', { name: 'Delete file' }).click()
  await expect(view.getByRole('heading', { name: 'This commit deletes the file' })).toBeVisible()
  await view.getByRole('button', { name: 'New file' }).click()
  await path.fill('docs/bar.md')
  await replaceText(text, '# The bar\n')
  await expect(changed.getByRole('button')).toHaveText([
    'MCargo.toml',
    'Rdocs/a-gauge.md',
    'Adocs/bar.md',
    'Ddocs/gauge.svg',
  ])

  await view.reload()
  await expect(view.getByText('Your uncommitted changes were kept')).toBeVisible()
  await expect(changed.getByRole('button')).toHaveCount(4)
  await view.getByRole('radio', { name: /^Review changes/ }).click()
  await expect(view.locator('.dl.add').filter({ hasText: 'version = "0.2.0"' })).toBeVisible()
  await expect(view.locator('.dl.del').filter({ hasText: 'version = "0.1.0"' })).toBeVisible()
  await view.getByRole('textbox', { name: 'Commit message' }).fill('Prepare 0.2.0')
  await view.keyboard.press('ControlOrMeta+Enter')

  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main`)
  await tree.git('fetch', '--quiet', 'origin', 'main')
  expect(await tree.git('log', '-1', '--format=%s', 'FETCH_HEAD')).toBe('Prepare 0.2.0')
  expect((await tree.git('diff', '--name-status', 'FETCH_HEAD~1', 'FETCH_HEAD')).split('\n')).toEqual([
    'M\tCargo.toml',
    'R100\tdocs/gauge.md\tdocs/a-gauge.md',
    'A\tdocs/bar.md',
    'D\tdocs/gauge.svg',
  ])
  await app.open('/root/tern/-/edit_files/main')
  await expect(view.getByRole('heading', { name: '0 changed files' })).toBeVisible()
})

test('a file that changed meanwhile is not overwritten without a question', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { tree } = await makeTern(instance)
  await app.enter('/root/tern/-/edit_files/main/Cargo.toml')
  const text = view.getByRole('textbox', { name: /^Contents of / })
  await replaceText(text, 'mine\n')
  await tree.commit('Theirs', { 'Cargo.toml': 'theirs\n' })
  await tree.push('main')
  await view.getByRole('button', { name: /^Commit/ }).click()
  await expect(view.getByText(/has changed since you started editing it/)).toBeVisible()
  await view.getByRole('button', { name: 'Commit anyway' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main`)
  await tree.git('fetch', '--quiet', 'origin', 'main')
  expect(await tree.git('show', 'FETCH_HEAD:Cargo.toml')).toBe('mine')
})
