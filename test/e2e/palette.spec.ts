import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('the palette opens projects and views, and switches the theme @electron @core', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await instance.api('POST', '/projects', { name: 'sandpiper', initialize_with_readme: true })
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()

  await app.jump('sandp')
  await expect(app.palette.getByRole('option', { name: 'root/sandpiper' })).toBeVisible()
  await view.keyboard.press('Enter')
  await expect(app.heading('sandpiper')).toBeVisible()
  await expect(app.palette).toBeHidden()

  // Inside a project its own views come first.
  await app.jump('branch')
  await expect(app.palette.getByRole('option').first()).toHaveText('Branches & tags')
  await view.keyboard.press('Enter')
  await expect(view).toHaveURL(`${instance.url}/root/sandpiper/-/branches`)

  await app.jump('dark theme')
  await view.keyboard.press('Enter')
  await expect(view.locator('html')).toHaveCSS('color-scheme', 'dark')
  await view.reload()
  await expect(view.locator('html')).toHaveCSS('color-scheme', 'dark')

  await app.jump('nothing at all')
  await expect(app.palette).toContainText('No results for “nothing at all”')
  await view.keyboard.press('Escape')
  await expect(app.palette).toBeHidden()

  await view.getByRole('button', { name: /Search or jump to/ }).click()
  await view.keyboard.type('tern')
  await app.palette.getByRole('option', { name: 'root/tern' }).click()
  await expect(app.heading('tern')).toBeVisible()
})

test('the palette finds merge requests, issues, files, branches, people and pages of settings', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'heron',
    initialize_with_readme: true,
  })
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'fix/torn-tail',
    start_branch: 'main',
    commit_message: 'Recover',
    actions: [{ action: 'create', file_path: 'src/recover.rs', content: 'fn main() {}' }],
  })
  await instance.api('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'fix/torn-tail',
    target_branch: 'main',
    title: 'Recover a torn tail',
  })
  await instance.api('POST', `/projects/${id}/issues`, { title: 'The tail is torn after a crash' })
  await app.enter('/root/heron')
  await expect(app.heading('heron')).toBeVisible()

  const first = app.palette.getByRole('option').first()
  const finds: [search: string, option: RegExp, address: string][] = [
    ['recover torn', /^Recover a torn tail/, '/root/heron/-/merge_requests/1'],
    ['!1', /^Recover a torn tail/, '/root/heron/-/merge_requests/1'],
    ['crash', /^The tail is torn after a crash/, '/root/heron/-/issues/1'],
    ['fix/torn', /^fix\/torn-tail/, '/root/heron/-/tree/fix/torn-tail'],
    ['readme', /^README.md/, '/root/heron/-/blob/main/README.md'],
    ['backups', /^Backups/, '/admin/backups'],
    ['appearance', /^Appearance/, '/admin/application_settings/appearance'],
    ['users', /^Users/, '/admin/users'],
  ]
  for (const [search, option, address] of finds) {
    await app.jump(search)
    await expect(first).toHaveText(option)
    await view.keyboard.press('Enter')
    await expect(view).toHaveURL(instance.url + address)
    await expect(app.palette).toBeHidden()
  }

  // Letters spread over a word match nothing.
  await app.jump('rvrtl')
  await expect(app.palette).toContainText('No results for “rvrtl”')
  await view.keyboard.press('Escape')

  await app.jump('sign out')
  await expect(first).toHaveText(/^Sign out/)
  await view.keyboard.press('Enter')
  await expect(view.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('the palette keeps text that was typed before it was open', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()
  await view.keyboard.press('ControlOrMeta+k')
  await view.keyboard.type('runners')
  await expect(app.palette.getByRole('textbox')).toHaveValue('runners')
  await expect(app.palette.getByRole('option').first()).toHaveText(/^Runners/)
})

test('all shortcuts are listed in one dialog', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()
  await view.keyboard.press('?')
  const sheet = view.getByRole('dialog')
  await expect(sheet).toContainText('Search or jump to')
  await expect(sheet).toContainText('New project')
  await view.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await view.keyboard.press('g')
  await view.keyboard.press('h')
  await expect(view).toHaveURL(`${instance.url}/`)
})
