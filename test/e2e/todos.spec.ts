import { App } from './pages/app.ts'
import { expect, test, type Instance } from './support/instance.ts'

/** Another active user, who calls the API. */
async function colleague(instance: Instance) {
  const user = await instance.api<{ id: number }>('POST', '/users', {
    username: 'teo',
    name: 'Teo Brandt',
    email: 'teo@saltmarsh.test',
    password: 'a long enough pass phrase',
    skip_confirmation: true,
  })
  const scopes = { name: 'work', scopes: ['api'] }
  const path = `/users/${user.id}/personal_access_tokens`
  const { token } = await instance.api<{ token: string }>('POST', path, scopes)
  const post = async (at: string, body: object): Promise<{ iid: number }> => {
    const answer = await fetch(`${instance.url}/api/v4${at}`, {
      method: 'POST',
      headers: { 'private-token': token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { iid: number }
  }
  return { id: user.id, post }
}

test('a to-do item appears on the home page at once, and stays until it is done @core', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const project = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'tern',
    initialize_with_readme: true,
  })
  const teo = await colleague(instance)
  const issues = `/projects/${project.id}/issues`
  await instance.api('POST', `/projects/${project.id}/members`, { user_id: teo.id, access_level: 40 })
  await app.enter('/')
  const needs = view.getByRole('region', { name: 'Needs you' })
  await expect(needs).toContainText('Nothing needs you')
  await expect(view.getByRole('link', { name: 'To-dos', exact: true })).toBeVisible()

  // The page was not reloaded; the event stream adds the item.
  const gauge = await teo.post(issues, { title: 'Mind the gauge', assignee_ids: [1] })
  await expect(needs).toContainText('assigned to you by Teo Brandt')
  await expect(app.entry('Home')).toHaveAttribute('title', '1 to-do')
  await teo.post(`${issues}/${gauge.iid}/notes`, { body: '@root, is it **dry**?\n\nSince noon.' })
  const list = view.getByRole('list', { name: 'what needs you' })
  await expect(list.locator('.row-link')).toHaveText(['“@root, is it dry?”', 'Mind the gauge'])
  await expect(view.getByRole('link', { name: 'To-dos, 2 pending' })).toBeVisible()

  await view.keyboard.press('j')
  await view.keyboard.press('e')
  await expect(list.locator('.row-link')).toHaveText(['“@root, is it dry?”'])
  await list.getByRole('button', { name: 'Done' }).click()
  await expect(needs).toContainText('Nothing needs you')
  await expect(app.entry('Home')).not.toHaveAttribute('title', /./)

  await teo.post(issues, { title: 'Paint the buoy', assignee_ids: [1] })
  await teo.post(issues, { title: 'Count the terns', description: 'With @root' })
  await view.keyboard.press('g')
  await view.keyboard.press('t')
  await expect(app.heading('To-dos')).toBeVisible()
  const all = view.getByRole('list', { name: 'to-dos' })
  await expect(all.locator('.row-link')).toHaveText(['Count the terns', 'Paint the buoy'])
  await view.getByLabel('Reason').selectOption({ label: 'Assigned' })
  await expect(all.locator('.row-link')).toHaveText(['Paint the buoy'])
  await view.getByRole('button', { name: 'Mark all as done' }).click()
  await expect(view.getByRole('heading', { name: 'No matching to-dos' })).toBeVisible()
  await view.getByRole('button', { name: 'Show all' }).click()
  await expect(all.locator('.row-link')).toHaveText(['Count the terns'])

  await view.getByRole('radio', { name: 'Done' }).click()
  await expect(all.locator('.row-link')).toHaveCount(3)
  await all.locator('.row').first().getByRole('button', { name: 'Restore' }).click()
  await expect(all.locator('.row-link')).toHaveCount(2)
  await view.getByRole('radio', { name: 'To do' }).click()
  await expect(all.locator('.row-link')).toHaveText(['Count the terns', 'Paint the buoy'])
  await view.keyboard.press('j')
  await view.keyboard.press('Enter')
  await expect.poll(() => app.address()).toMatch(/^\/root\/tern\/-\/issues\/\d+$/)
})

test('selected to-do items are marked as done together, and restored by undo', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'tern' })
  for (const title of ['One', 'Two', 'Three']) {
    const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/issues`, { title })
    await instance.api('POST', `/projects/${id}/issues/${iid}/todo`)
  }
  await app.enter('/dashboard/todos')
  const rows = view.getByRole('list', { name: 'to-dos' }).locator('.row-link')
  await expect(rows).toHaveText(['Three', 'Two', 'One'])
  await view.keyboard.press('j')
  await view.keyboard.press('x')
  await view.keyboard.press('j')
  await view.keyboard.press('x')
  await expect(view.getByRole('toolbar', { name: 'Selected rows' })).toContainText('2 selected')
  await view.keyboard.press('e')
  await expect(rows).toHaveText(['One'])
  await app.message('2 to-dos marked as done').getByRole('button', { name: 'Undo' }).click()
  await expect(rows).toHaveText(['Three', 'Two', 'One'])

  // The next item gets the focus after one is marked as done.
  await rows.nth(1).focus()
  await view.keyboard.press('e')
  await expect(rows).toHaveText(['Three', 'One'])
  await expect(rows.nth(1)).toBeFocused()
})
