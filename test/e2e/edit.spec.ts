import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { App } from './pages/app.ts'
import { CodePage } from './pages/code.ts'
import { EditorPage } from './pages/editor.ts'
import { expect, test, type Instance } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

type Commit = { id: string; title: string; author_name: string }

const raw = async (instance: Instance, id: number, path: string, ref: string) => {
  const file = await instance.api<{ content: string }>(
    'GET',
    `/projects/${id}/repository/files/${encodeURIComponent(path)}?ref=${encodeURIComponent(ref)}`,
  )
  return Buffer.from(file.content, 'base64').toString()
}
const newest = async (instance: Instance, id: number, ref: string) =>
  (await instance.api<Commit[]>('GET', `/projects/${id}/repository/commits?ref_name=${ref}&per_page=1`))[0]

test('a file is edited by keyboard only, previewed, and committed @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const editor = new EditorPage(view)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/-/blob/main/docs/gauge.md?plain=1')
  await expect(code.text('docs/gauge.md')).toBeVisible()
  await view.keyboard.press('e')
  await expect(editor.text).toContainText('a person with a staff')
  await expect(editor.commit).toBeDisabled()
  await editor.append('| tide | metres | above the bar |')
  await expect(editor.commit).toBeEnabled()

  await view.getByRole('radio', { name: 'Preview' }).click()
  await expect(
    view.getByRole('region', { name: 'Preview' }).getByRole('cell', { name: 'above the bar' }),
  ).toBeVisible()
  await view.getByRole('radio', { name: 'Changes' }).click()
  await expect(view.locator('.dl.add')).toContainText('above the bar')
  await view.getByRole('radio', { name: 'Write' }).click()

  await view.keyboard.press('ControlOrMeta+s')
  await expect(editor.message).toBeFocused()
  await view.keyboard.type('Name the tide')
  await view.keyboard.press('ControlOrMeta+Enter')
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/docs/gauge.md`)
  await expect(app.message('Committed to main')).toBeVisible()
  await expect(app.main).toContainText('Name the tide')
  expect(await raw(instance, id, 'docs/gauge.md', 'main')).toMatch(
    /staff \|\n\| tide \| metres \| above the bar \|$/,
  )
  expect(await newest(instance, id, 'main')).toMatchObject({ title: 'Name the tide' })
})

test('uncommitted work is not lost by a wrong click', async ({ view, instance }) => {
  const app = new App(view, instance)
  const editor = new EditorPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/edit/main/Cargo.toml')
  await editor.append('edition = "2024"')
  await app.entry('Projects').click()
  await expect(editor.dialog).toContainText('Leave without committing?')
  await view.keyboard.press('Escape')
  await expect(editor.text).toContainText('edition = "2024"')
  await app.entry('Projects').click()
  await editor.dialog.getByRole('button', { name: 'Discard and leave' }).click()
  await expect(app.heading('Projects')).toBeVisible()
})

test('a second editor learns about the first change, and loads or overwrites it', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const editor = new EditorPage(view)
  const { id } = await makeTern(instance)
  const change = (content: string, commit_message: string) =>
    instance.api('PUT', `/projects/${id}/repository/files/Cargo.toml`, {
      branch: 'main',
      content,
      commit_message,
    })
  await app.enter('/root/tern/-/edit/main/Cargo.toml')
  await editor.append('mine = 1')
  await change('[package]\ntheirs = 1\n', 'Theirs came first')
  await expect(view.getByRole('alert')).toContainText('committed “Theirs came first” to this file')
  await view.keyboard.press('ControlOrMeta+Enter')
  await expect(view.getByRole('alert')).toContainText('Theirs came first')
  expect(await newest(instance, id, 'main')).toMatchObject({ title: 'Theirs came first' })

  await view.getByRole('button', { name: 'Load newer version' }).click()
  await editor.dialog.getByRole('button', { name: 'Discard mine and load' }).click()
  await expect(editor.text).toContainText('theirs = 1')
  await expect(view.getByRole('alert')).toHaveCount(0)

  await editor.append('mine = 2')
  await change('[package]\ntheirs = 2\n', 'Theirs again')
  await expect(view.getByRole('alert')).toContainText('Theirs again')
  await view.getByRole('button', { name: 'Overwrite' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/Cargo.toml`)
  expect(await raw(instance, id, 'Cargo.toml', 'main')).toBe('[package]\ntheirs = 1\nmine = 2')
})

test('a protected branch offers a new branch, with the reason', async ({ view, instance }) => {
  const app = new App(view, instance)
  const editor = new EditorPage(view)
  const { id } = await makeTern(instance)
  await instance.api('DELETE', `/projects/${id}/protected_branches/main`)
  await instance.api('POST', `/projects/${id}/protected_branches`, { name: 'main', push_access_level: 0 })
  await app.enter('/root/tern/-/edit/main/src/tide.rs')
  await expect(app.main).toContainText('You cannot push to main.')
  await expect(editor.newBranch).toHaveValue('root/tide')
  await editor.append('// the end')
  await editor.commit.click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/root/tide/src/tide.rs`)
  expect(await raw(instance, id, 'src/tide.rs', 'root/tide')).toMatch(/\/\/ the end$/)
  expect(await newest(instance, id, 'main')).toMatchObject({ title: 'Say when a boat can cross' })
})

test('files are created, renamed and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const editor = new EditorPage(view)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/-/tree/main/docs')
  await expect(code.inFolder('gauge.md')).toBeVisible()
  await view.keyboard.press('n')
  await expect(editor.path).toHaveValue('docs/')
  await editor.path.fill('docs/harbours/list.txt')
  await editor.append('Saltmarsh')
  await editor.commit.click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/docs/harbours/list.txt`)
  await expect(code.text('docs/harbours/list.txt')).toContainText('Saltmarsh')

  await view.getByRole('button', { name: 'More actions' }).click()
  await view.getByRole('menuitem', { name: 'Rename or move…' }).click()
  await editor.path.fill('harbours.txt')
  await editor.commit.click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/harbours.txt`)
  expect(await newest(instance, id, 'main')).toMatchObject({
    title: 'Move docs/harbours/list.txt to harbours.txt',
  })

  await view.getByRole('button', { name: 'More actions' }).click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await editor.dialog.getByRole('button', { name: 'Delete file' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main`)
  await expect(code.inFolder('Cargo.toml')).toBeVisible()
  await expect(code.inFolder('harbours.txt')).toHaveCount(0)
})

test('a folder is renamed and deleted with its content', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const { id } = await makeTern(instance)
  const dialog = view.getByRole('dialog')
  const begin = async (what: string) => {
    await view.getByRole('button', { name: 'More actions' }).click()
    await view.getByRole('menuitem', { name: what }).click()
  }
  await app.enter('/root/tern/-/tree/main/docs')
  await begin('Rename or move…')
  await expect(dialog).toContainText('Moves 2 files in one commit.')
  await expect(dialog.getByRole('button', { name: 'Move folder' })).toBeDisabled()
  await dialog.getByLabel('New path').fill('docs/inner')
  await expect(dialog).toContainText('A folder cannot go into itself.')
  await dialog.getByLabel('New path').fill('book')
  await dialog.getByRole('button', { name: 'Move folder' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main/book`)
  await expect(code.inFolder('gauge.svg')).toBeVisible()

  await begin('Delete…')
  await dialog.getByRole('button', { name: 'Delete folder' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main`)
  await expect(code.inFolder('src')).toBeVisible()
  await expect(code.inFolder('book')).toHaveCount(0)
  expect(await newest(instance, id, 'main')).toMatchObject({ title: 'Delete book' })
})

test('local files are uploaded in one commit', async ({ view, instance }, info) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const { id } = await makeTern(instance)
  const folder = info.outputPath('upload')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'gauge.md'), '# Another gauge\n')
  await writeFile(join(folder, 'picture.bin'), Buffer.from([0, 255, 1, 254]))
  await app.enter('/root/tern/-/tree/main/docs')
  await expect(code.inFolder('gauge.md')).toBeVisible()
  await view.keyboard.press('u')
  const dialog = view.getByRole('dialog')
  await dialog
    .locator('input[type="file"]')
    .first()
    .setInputFiles([join(folder, 'gauge.md'), join(folder, 'picture.bin')])
  await expect(dialog).toContainText('replaces existing file')
  await dialog.getByRole('button', { name: 'Commit 2 files' }).click()
  await expect(app.message('2 files committed to main')).toBeVisible()
  await expect(code.inFolder('picture.bin')).toBeVisible()
  expect(await raw(instance, id, 'docs/gauge.md', 'main')).toBe('# Another gauge\n')
  const file = await instance.api<{ content: string }>(
    'GET',
    `/projects/${id}/repository/files/docs%2Fpicture.bin?ref=main`,
  )
  expect(file.content).toBe(Buffer.from([0, 255, 1, 254]).toString('base64'))
  expect(await newest(instance, id, 'main')).toMatchObject({ title: 'Upload 2 files to docs' })

  await mkdir(join(folder, 'nested'))
  await writeFile(join(folder, 'nested', 'deep.txt'), 'deep')
  await view.keyboard.press('u')
  await dialog.locator('input[type="file"]').nth(1).setInputFiles(folder)
  await expect(dialog.getByRole('listitem')).toHaveCount(3)
  await dialog.getByRole('button', { name: 'Exclude upload/gauge.md' }).click()
  await dialog.getByRole('button', { name: 'Commit 2 files' }).click()
  await expect(code.inFolder('upload')).toBeVisible()
  expect(await raw(instance, id, 'docs/upload/nested/deep.txt', 'main')).toBe('deep')
})

test('the first file of an empty project is written here', async ({ view, instance }) => {
  const app = new App(view, instance)
  const editor = new EditorPage(view)
  await instance.api('POST', '/projects', { name: 'plover' })
  await app.enter('/root/plover')
  await view.getByRole('link', { name: 'Create a file' }).click()
  await expect(editor.path).toBeFocused()
  await view.keyboard.type('README.md')
  await editor.append('# plover')
  await editor.commit.click()
  await expect(view).toHaveURL(`${instance.url}/root/plover/-/blob/main/README.md`)
  await expect(app.main.getByRole('heading', { name: 'plover' })).toBeVisible()
})
