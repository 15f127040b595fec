import { App } from './pages/app.ts'
import { SettingsPage } from './pages/settings.ts'
import { expect, test } from './support/instance.ts'

test('a setting is changed with the keyboard and applies at once @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  const settings = new SettingsPage(view)
  await app.enter('/-/profile')
  await view.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'General' }).click()
  await expect(app.heading('General')).toBeVisible()
  await expect(settings.bar).toBeHidden()

  await settings.field('Default branch name').fill('trunk')
  await settings.field('Minimum password length').fill('1')
  await expect(settings.bar).toContainText('2 unsaved changes')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(settings.bar).toContainText('one needs attention: Minimum password length')
  await expect(settings.field('Minimum password length')).toHaveAttribute('aria-invalid', 'true')

  await settings.row('minimum_password_length').getByRole('button', { name: 'Reset' }).click()
  await settings.bar.getByRole('button', { name: 'Save' }).click()
  await expect(settings.bar).toBeHidden()
  expect(await instance.api('GET', '/application/settings')).toMatchObject({ default_branch_name: 'trunk' })

  const made = await instance.api('POST', '/projects', { name: 'heron', initialize_with_readme: true })
  expect(made).toMatchObject({ path_with_namespace: 'root/heron' })
  await app.open('/root/heron')
  await expect(view.getByRole('button', { name: 'Branch or tag: trunk' })).toBeVisible()
})

test('settings are found, compared with their defaults, and not lost by leaving the page', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const settings = new SettingsPage(view)
  await instance.api('PUT', '/application/settings', { can_create_group: false })
  await app.enter('/admin/application_settings/general')
  await view.getByRole('radio', { name: /^Changed from default/ }).click()
  await expect(view.locator('.set')).toHaveCount(1)
  await expect(settings.row('can_create_group')).toBeVisible()
  await view.getByRole('radio', { name: /^All/ }).click()
  await view.keyboard.press('/')
  await view.keyboard.type('push')
  await expect(settings.row('receive_max_input_size')).toBeVisible()
  await expect(settings.row('can_create_group')).toHaveCount(0)

  await settings.field('Maximum push size').fill('20')
  await app.entry('Home').click()
  await expect(settings.bar).toContainText('Save or discard them before you leave.')
  await settings.bar.getByRole('button', { name: 'Discard' }).click()
  await expect(settings.bar).toBeHidden()
  await app.entry('Home').click()
  await expect(view).toHaveURL(`${instance.url}/`)
})

test('a setting is found from the palette, and a switch shows its required settings', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const settings = new SettingsPage(view)
  await app.enter('/')
  await app.jump('asset_proxy_enabled')
  await expect(view.getByRole('option', { name: /^asset_proxy_enabled/ })).toBeVisible()
  await view.keyboard.press('Enter')
  await expect(view).toHaveURL(/application_settings#asset_proxy_enabled$/)
  const proxy = view.getByRole('switch', { name: 'Enable the asset proxy' })
  await expect(proxy).toBeFocused()

  await expect(settings.field('Asset proxy URL')).toBeHidden()
  await view.keyboard.press('Space')
  await expect(settings.field('Asset proxy URL')).toBeVisible()
  await view.keyboard.press('ControlOrMeta+s')
  await expect(settings.bar).toContainText('one needs attention: Asset proxy URL')
  await settings.field('Asset proxy URL').fill('https://pictures.saltmarsh.test')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(settings.bar).toBeHidden()

  const hosts = settings.row('asset_proxy_allowlist')
  await hosts.getByRole('textbox').fill('a.saltmarsh.test, b.saltmarsh.test')
  await view.keyboard.press('Enter')
  await hosts.getByRole('button', { name: 'Remove a.saltmarsh.test' }).click()
  await view.keyboard.press('ControlOrMeta+s')
  await expect(settings.bar).toBeHidden()
  expect(await instance.api('GET', '/application/settings')).toMatchObject({
    asset_proxy_enabled: true,
    asset_proxy_url: 'https://pictures.saltmarsh.test',
    // The list always includes the host of the instance.
    asset_proxy_allowlist: ['b.saltmarsh.test', '127.0.0.1'],
  })
})
