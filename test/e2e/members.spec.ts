import { App } from './pages/app.ts'
import { expect, test, type Instance } from './support/instance.ts'

const password = 'a lighthouse in the fog'

async function makePerson(instance: Instance, name: string): Promise<{ id: number }> {
  const username = name.toLowerCase()
  const email = `${username}@saltmarsh.test`
  return instance.api('POST', '/users', { name, username, email, password, skip_confirmation: true })
}

/** A group with a project, and users who are not members yet. */
async function makeContainers(instance: Instance) {
  const group = await instance.api<{ id: number }>('POST', '/groups', {
    name: 'Saltmarsh',
    path: 'saltmarsh',
    visibility: 'internal',
  })
  const project = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'tern',
    namespace_id: group.id,
    visibility: 'internal',
  })
  const people = { ines: await makePerson(instance, 'Ines'), otto: await makePerson(instance, 'Otto') }
  return { group, project, ...people }
}

test('members are added by name and by email, with a role and an expiry date', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { group, project, ines, otto } = await makeContainers(instance)
  await instance.api('POST', `/groups/${group.id}/members`, { user_id: ines.id, access_level: 30 })
  await app.enter('/saltmarsh/tern/-/project_members')
  const row = (name: string) => view.getByRole('listitem').filter({ hasText: `@${name}` })
  await expect(row('ines')).toContainText('from saltmarsh')

  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog', { name: 'Add people to tern' })
  await dialog.getByLabel('People').fill('Ott')
  await expect(view.getByRole('option', { name: 'Otto' })).toBeVisible()
  await view.keyboard.press('Enter')
  await expect(dialog.getByRole('list', { name: 'Member type' })).toContainText('Otto')
  await dialog.getByLabel('People').fill('new@saltmarsh.test')
  await view.getByRole('option', { name: /new@saltmarsh\.test/ }).click()
  await dialog.getByLabel('Role').selectOption('Reporter')
  await dialog.getByRole('textbox', { name: 'Expires' }).fill('2030-01-31')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(row('otto')).toContainText('expires 31 January 2030')
  expect(await instance.api('GET', `/projects/${project.id}/members/${otto.id}`)).toMatchObject({
    access_level: 20,
    expires_at: '2030-01-31',
  })

  await row('otto').getByLabel('Role of Otto').selectOption('Maintainer')
  await expect(app.message('Changed the role of @otto')).toBeVisible()
  await row('otto').getByRole('button', { name: 'More actions for Otto' }).click()
  await view.getByRole('menuitem', { name: 'Remove Otto…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row('otto')).toHaveCount(0)

  await view.getByRole('radio', { name: /^Invitations/ }).click()
  await expect(view).toHaveURL(/tab=invited/)
  await expect(app.main).toContainText('new@saltmarsh.test')
  await view.getByRole('button', { name: 'Withdraw the invitation for new@saltmarsh.test' }).click()
  await expect(view.getByRole('heading', { name: 'No pending invitations' })).toBeVisible()
})

test('a group is invited, and its members get access @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { otto } = await makeContainers(instance)
  const crew = await instance.api<{ id: number }>('POST', '/groups', { name: 'Crew', path: 'crew' })
  await instance.api('POST', `/groups/${crew.id}/members`, { user_id: otto.id, access_level: 30 })
  await app.enter('/saltmarsh/tern/-/project_members')
  await view.getByRole('button', { name: 'Invite a group' }).first().click()
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Group').fill('cre')
  await view.getByRole('option', { name: 'Crew' }).click()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await expect(app.message('Crew invited')).toBeVisible()
  await expect(view.getByRole('listitem').filter({ hasText: '@otto' })).toContainText('via Crew')
  await view.getByRole('radio', { name: /^Groups/ }).click()
  await view.getByRole('button', { name: 'Remove the invitation of Crew' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(view.getByRole('heading', { name: 'No invited groups' })).toBeVisible()
})

test('a user requests access, is accepted, and leaves again', async ({ view, instance, browser }) => {
  const app = new App(view, instance)
  const { project, otto } = await makeContainers(instance)
  await app.enter('/saltmarsh/tern/-/project_members', { username: 'otto', password })
  await view.getByRole('button', { name: 'Request access' }).click()
  await expect(app.main).toContainText('You requested access to tern.')
  await view.getByRole('button', { name: 'Withdraw' }).click()
  await view.getByRole('button', { name: 'Request access' }).click()
  await expect(view.getByRole('button', { name: 'Withdraw' })).toBeVisible()

  const context = await browser.newContext({ baseURL: instance.url })
  const owner = new App(await context.newPage(), instance)
  await owner.enter('/groups/saltmarsh/-/group_members')
  await expect(owner.heading('Members')).toBeVisible()
  await owner.open('/saltmarsh/tern/-/project_members?tab=requests')
  await owner.page.getByLabel('Role for Otto').selectOption('Guest')
  await owner.page.getByRole('button', { name: 'Approve' }).click()
  await expect(owner.message('@otto is now a member')).toBeVisible()
  await context.close()

  expect(await instance.api('GET', `/projects/${project.id}/members/${otto.id}`)).toMatchObject({
    access_level: 10,
  })
  await view.reload()
  await view.getByRole('button', { name: 'More actions', exact: true }).click()
  await view.getByRole('menuitem', { name: 'Leave tern…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await expect(view).toHaveURL(`${instance.url}/projects`)
})
