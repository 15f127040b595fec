import { App } from './pages/app.ts'
import { expect, test, type Instance } from './support/instance.ts'

/** The group `saltmarsh` with a subgroup `tools`, and a project in each. */
async function makeTree(instance: Instance) {
  const top = await instance.api<{ id: number }>('POST', '/groups', { name: 'Saltmarsh', path: 'saltmarsh' })
  const tools = await instance.api<{ id: number }>('POST', '/groups', {
    name: 'Tools',
    path: 'tools',
    parent_id: top.id,
  })
  await instance.api('POST', '/projects', { name: 'tern', namespace_id: top.id })
  await instance.api('POST', '/projects', { name: 'heron', namespace_id: tools.id })
  return { top, tools }
}

test('a group is a tree that opens with the keyboard, and is searched as a whole', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await makeTree(instance)
  await app.enter('/groups/saltmarsh')
  await expect(app.main.getByRole('link', { name: 'tern', exact: true })).toBeVisible()
  await expect(app.main.getByRole('link', { name: 'heron', exact: true })).toHaveCount(0)
  await view.keyboard.press('j')
  await expect(app.main.getByRole('link', { name: 'Tools', exact: true })).toBeFocused()
  await view.keyboard.press('ArrowRight')
  await expect(app.main.getByRole('link', { name: 'heron', exact: true })).toBeVisible()
  await expect(view.getByRole('button', { name: 'Contents of Tools' })).toHaveAttribute(
    'aria-expanded',
    'true',
  )
  await view.keyboard.press('ArrowLeft')
  await expect(app.main.getByRole('link', { name: 'heron', exact: true })).toHaveCount(0)

  await view.keyboard.press('/')
  await view.keyboard.type('her')
  await expect(app.main.getByRole('link', { name: 'heron', exact: true })).toBeVisible()
  await expect(app.main.getByRole('link', { name: 'tern', exact: true })).toHaveCount(0)
  await expect(view).toHaveURL(/search=her/)
})

test('a subgroup is created in a group, and found in the lists of groups', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTree(instance)
  await app.enter('/groups/saltmarsh')
  await view.getByRole('link', { name: 'New subgroup' }).click()
  await view.getByLabel('Name').fill('Charts')
  await view.getByRole('button', { name: 'Create group' }).click()
  await expect(app.heading('Charts')).toBeVisible()
  expect(app.address()).toBe('/groups/saltmarsh/charts')
  await app.open('/groups?order=path')
  await expect(app.main.getByRole('listitem')).toHaveCount(3)
  await view.getByLabel('Top level only').check()
  await expect(app.main.getByRole('listitem')).toHaveCount(1)
  await expect(view).toHaveURL(/top=true/)
})

test('a group is changed, transferred, deleted and restored', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { tools } = await makeTree(instance)
  await instance.api('PUT', '/application/settings', {
    delayed_group_deletion: true,
    deletion_adjourned_period: 7,
  })
  await app.enter('/groups/saltmarsh/tools/-/edit')
  await view.getByLabel('Description').fill('What we build with.')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(app.message('Saved')).toBeVisible()
  await view
    .getByRole('navigation', { name: 'Group settings' })
    .getByRole('link', { name: 'Rules', exact: true })
    .click()
  await view.getByLabel('Roles that can create projects').selectOption('Nobody')
  await app.entry('Home').click()
  await expect(view.locator('.savebar')).toContainText('Save or discard them before you leave.')
  await view.locator('.savebar').getByRole('button', { name: 'Save' }).click()
  await expect(view.locator('.savebar')).toBeHidden()
  expect(await instance.api('GET', `/groups/${tools.id}`)).toMatchObject({
    description: 'What we build with.',
    project_creation_level: 'noone',
  })

  await view
    .getByRole('navigation', { name: 'Group settings' })
    .getByRole('link', { name: 'Advanced' })
    .click()
  await view.getByLabel('New parent group').click()
  await view.getByRole('option', { name: /Top level/ }).click()
  await view.getByRole('button', { name: 'Move…' }).click()
  await view.getByLabel('Type tools to confirm').fill('tools')
  await view.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await expect(view).toHaveURL(`${instance.url}/groups/tools/-/settings/advanced`)

  await view.getByRole('button', { name: 'Delete group…' }).click()
  await view.getByLabel('Type tools to confirm').fill('tools')
  await view.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click()
  await expect(view).toHaveURL(`${instance.url}/groups`)
  await app.open('/groups/tools')
  await expect(app.main).toContainText('scheduled for deletion')
  await view.getByRole('button', { name: 'Keep' }).click()
  await expect(app.message('Tools restored')).toBeVisible()
  await expect(app.main).not.toContainText('scheduled for deletion')
})
