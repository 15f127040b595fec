import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { joins, windowOf } from './support/people.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('an administrator changes the appearance and adds a broadcast message, and everybody sees both', async ({
  view,
  instance,
  browser,
  contextOptions,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'Tern' })
  const ada = await joins(instance, id, 'Ada')
  const hers = await windowOf(ada, instance, '/root/tern/-/issues', { browser, contextOptions })
  const page = hers.page
  await expect(page.getByRole('navigation', { name: 'Tern' })).toBeVisible()

  await app.enter('/admin/application_settings/appearance')
  const preview = view.getByRole('region', { name: 'Preview' })
  await view.getByLabel('Instance name').fill('Salt marsh')
  await expect(preview).toContainText('Sign in – Salt marsh')
  await view.getByLabel('Description', { exact: true }).fill('Where the *terns* work.')
  await expect(preview).toContainText('Where the terns work.')
  await view.getByLabel('Header message').fill('See the [tide table](/root/tern)')
  await view.getByLabel('Background', { exact: true }).fill('#12345')
  await expect(view.getByText('Use #rgb or #rrggbb')).toBeVisible()
  await view.getByLabel('File for: Logo').setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: PIXEL,
  })
  await expect(view.locator('.savebar')).toContainText('5 unsaved changes')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(view.getByRole('alert').filter({ hasText: 'Must be a valid color code' })).toBeVisible()
  await view.getByLabel('Background', { exact: true }).fill('#123456')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(app.message('Everyone sees it now')).toBeVisible()

  // A second window shows the message at once, and its links work.
  const bar = page.getByRole('complementary', { name: 'Header message' })
  await expect(bar).toHaveCSS('background-color', 'rgb(18, 52, 86)')
  await expect(page).toHaveTitle(/Issues.* – Salt marsh$/)
  await bar.getByRole('link', { name: 'tide table' }).click()
  await expect(page).toHaveURL(`${instance.url}/root/tern`)

  await view.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Messages' }).click()
  await expect(view.getByRole('heading', { name: 'No messages' })).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog', { name: 'Publish' })
  await dialog.getByLabel('Message', { exact: true }).fill('The tide **rises** at noon')
  await expect(dialog.getByRole('group', { name: 'Preview' })).toContainText('The tide rises at noon')
  await dialog.getByLabel('Target path').fill('/root/*')
  await dialog.getByLabel('Developers').check()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await expect(app.main.getByText('Active', { exact: true })).toBeVisible()

  const messages = page.getByRole('region', { name: 'Broadcast messages' })
  await expect(messages).toContainText('The tide rises at noon')
  await hers.entry('Home').click()
  await expect(messages).toBeHidden()
  await page.goBack()
  await messages.getByRole('button', { name: 'Dismiss message' }).click()
  await expect(messages).toBeHidden()
  await page.reload()
  await expect(bar).toBeVisible()
  await expect(messages).toBeHidden()

  await hers.signOut()
  await expect(page).toHaveTitle('Sign in – Salt marsh')
  await expect(page.getByText('Where the terns work.')).toBeVisible()
  await expect(bar).toBeVisible()
  await expect(page.locator('img.logo')).toHaveJSProperty('naturalWidth', 1)
})
