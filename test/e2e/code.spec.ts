import { App } from './pages/app.ts'
import { CodePage } from './pages/code.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('code is read by folder, by file and by line @core', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  await makeTern(instance)
  await app.enter('/root/tern')
  await view.getByRole('link', { name: 'Code', exact: true }).click()
  await code.inTree('src').click()
  await expect(code.inTree('tide.rs')).toBeVisible()
  await code.inFolder('tide.rs').click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/src/tide.rs`)

  const text = code.text('src/tide.rs')
  await expect(text).toContainText('The height above the datum, in metres.')
  await expect(text.locator('.hljs-keyword').filter({ hasText: 'struct' })).toBeVisible()
  await expect(code.statusBar).toContainText('Rust')
  await expect(app.crumbs()).toContainText('tide.rs')

  await code.number(6).click()
  await expect(view).toHaveURL(/#L6$/)
  await code.number(10).click({ modifiers: ['Shift'] })
  await expect(view).toHaveURL(/#L6-10$/)
  await expect(code.statusBar).toContainText('Lines 6–10 selected')
  await view.keyboard.press('ControlOrMeta+c')
  await expect(app.message('Lines 6–10 copied')).toBeVisible()
  expect(await view.evaluate(() => navigator.clipboard.readText())).toMatch(/^pub struct Constituent \{\n/)

  await view.reload()
  await expect(code.line(6)).toHaveClass(/hit/)
  await expect(code.line(11)).not.toHaveClass(/hit/)
})

test('a file is found from anywhere in the code with its key', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/tree/main')
  await expect(code.inFolder('Cargo.toml')).toBeVisible()

  await view.keyboard.press('t')
  await expect(code.finder).toBeFocused()
  await view.keyboard.type('wind')
  await expect(code.found.first()).toContainText('windows.rs')
  await view.keyboard.press('Enter')
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/src/windows.rs`)
  await expect(code.text('src/windows.rs')).toContainText('deep enough')

  await view.keyboard.press('y')
  await expect(view).toHaveURL(/\/-\/blob\/[0-9a-f]{40}\/src\/windows\.rs$/)
  await view.goBack()
  await expect(view).toHaveURL(/\/-\/blob\/main\/src\/windows\.rs$/)
})

test('Markdown, images and missing files each have their own view', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const { tree } = await makeTern(instance)
  await tree.commit('Keep a year of readings', { 'readings.csv': 'at,height\n'.padEnd(5_100_000, '0') })
  await tree.push('main')
  await app.enter('/root/tern/-/blob/main/docs/gauge.md')
  await expect(app.main.getByRole('cell', { name: 'metres' })).toBeVisible()
  await view.getByRole('radio', { name: 'Code' }).click()
  await expect(code.text('docs/gauge.md')).toContainText('| metres')

  await code.inTree('gauge.svg').click()
  await expect(app.main.getByRole('img', { name: 'gauge.svg' })).toHaveJSProperty('naturalWidth', 120)

  const requests: string[] = []
  view.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await code.inTree('readings.csv').click()
  await expect(view.getByRole('heading', { name: 'This file is too large to show' })).toBeVisible()
  const file = requests.filter((request) => request.includes('/repository/files/readings.csv'))
  // The listing may be requested again after an event of the repository, but never the content.
  expect(new Set(file.map((line) => line.split(' ')[0]))).toEqual(new Set(['HEAD']))

  await app.open('/root/tern/-/blob/main/no-such-file')
  await expect(app.main.getByRole('heading', { name: 'no-such-file does not exist on main' })).toBeVisible()
})

test('a text is found in the open file, and in all files', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/blob/main/src/windows.rs')
  await expect(code.text('src/windows.rs')).toBeVisible()
  await view.keyboard.press('ControlOrMeta+f')
  await view.keyboard.type('hours')
  const find = view.getByRole('search')
  await expect(find).toContainText(/^1 of \d+$/)
  await view.keyboard.press('Enter')
  await expect(find).toContainText(/^2 of/)
  await view.keyboard.press('Shift+Enter')
  await expect(find).toContainText(/^1 of/)
  await view.keyboard.type('!')
  await expect(find).toContainText('No results')
  await view.keyboard.press('Escape')
  await expect(find).toHaveCount(0)
  await expect(code.text('src/windows.rs')).toBeFocused()

  await view.keyboard.press('t')
  await view.keyboard.type('draught')
  await view.getByRole('link', { name: 'Search file contents' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/search/main?search=draught`)
  const hits = view.getByRole('region', { name: 'src/windows.rs' })
  await expect(hits.locator('mark').first()).toHaveText('draught')
  await expect(view.getByRole('region', { name: 'README.md' })).toBeVisible()
  await hits.getByRole('link', { name: /^Line/ }).first().click()
  await expect(view).toHaveURL(/\/-\/blob\/main\/src\/windows\.rs#L\d+$/)
})
