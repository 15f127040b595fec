import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

const CRLF = '\r\n'

test('wiki pages are created, renamed, illustrated, compared and deleted by pointer and keyboard', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'Tern' })
  await app.enter('/root/tern/-/wikis')
  await expect(view.getByRole('heading', { name: 'No pages yet' })).toBeVisible()
  await expect(view).toHaveURL(/\/-\/wikis\/home$/)

  const text = view.getByRole('textbox', { name: /^Page contents/ })
  const edit = view.getByRole('link', { name: /^Edit/ })
  const preview = view.getByRole('region', { name: 'Preview' })
  await view.keyboard.press('n')
  await view.getByLabel(/^Page title/).fill('home')
  await text.click()
  await view.keyboard.type('# Tides [[Slack water|guide/Slack water]]')
  await expect(preview.getByRole('link', { name: 'Slack water' })).toBeVisible()
  await view.keyboard.press('ControlOrMeta+Enter')
  await expect(app.heading('home')).toBeVisible()

  // A link to a missing page opens the form for a new page.
  await app.main.getByRole('link', { name: 'Slack water' }).click()
  await view.getByRole('link', { name: 'Create page' }).click()
  await text.click()
  await view.keyboard.type('First')
  await view.getByRole('button', { name: 'Save page' }).click()
  await expect(view).toHaveURL(/\/-\/wikis\/guide\/Slack-water$/)

  // A file is inserted at the caret.
  await edit.waitFor()
  await view.keyboard.press('e')
  await text.click()
  const picker = view.getByLabel('Files to attach')
  await picker.setInputFiles({ name: 'log.csv', mimeType: 'text/csv', buffer: Buffer.from(`a,b${CRLF}`) })
  await expect(text).toContainText('[log.csv](uploads/')
  await view.getByLabel(/^Page title/).fill('guide/Neap tide')
  await view.getByLabel('Commit message').fill('Name the other tide')
  await view.getByRole('button', { name: 'Save page' }).click()
  await expect(view).toHaveURL(/\/-\/wikis\/guide\/Neap-tide$/)
  await app.main.getByRole('link', { name: 'log.csv' }).click()
  await expect(view.locator('body')).toHaveText('a,b')
  await view.goBack()

  // Another user changes the page meanwhile.
  await edit.waitFor()
  await view.keyboard.press('e')
  await text.click()
  await view.keyboard.type('Mine ')
  await instance.api('PUT', `/projects/${id}/wikis/guide%2FNeap-tide`, { content: 'Theirs' })
  await expect(view.getByRole('alert')).toContainText('changed this page after you opened it')
  await view.getByRole('button', { name: 'Overwrite' }).click()
  await expect(app.main).toContainText('Mine')

  await view.getByRole('link', { name: /^Changed/ }).click()
  await expect(app.main.getByRole('link', { name: 'Name the other tide' })).toBeVisible()
  await view.getByRole('link', { name: 'Changes' }).nth(1).click()
  await expect(view.locator('.dl.add').first()).toContainText('Theirs')
  await view.getByRole('link', { name: 'Page at this version' }).click()
  await expect(app.main).toContainText('You are viewing an older version')
  await view.getByRole('link', { name: 'Current version' }).click()

  await view.getByRole('searchbox', { name: 'Search pages by title' }).fill('neap')
  await expect(view.getByRole('list', { name: 'Pages' }).getByRole('link')).toHaveText(['Neap tide'])
  await view.getByRole('button', { name: 'More actions' }).click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete page' }).click()
  await expect(app.heading('home')).toBeVisible()
  await expect(view.getByRole('complementary', { name: 'Pages of the wiki' })).not.toContainText('Neap')
})
