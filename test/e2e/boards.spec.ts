import { App } from './pages/app.ts'
import { expect, test, type Instance } from './support/instance.ts'

type Issue = { iid: number; labels: string[]; state: string; title: string }

/** A project with a board that has a list for each of two labels. */
async function makeBoard(instance: Instance, name: string): Promise<{ id: number; boardId: number }> {
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name,
    initialize_with_readme: true,
  })
  const { id: boardId } = await instance.api<{ id: number }>('POST', `/projects/${id}/boards`, {
    name: 'Work',
  })
  for (const label of ['doing', 'review']) {
    const { id: labelId } = await instance.api<{ id: number }>('POST', `/projects/${id}/labels`, {
      name: label,
      color: '#3178a8',
    })
    await instance.api('POST', `/projects/${id}/boards/${boardId}/lists`, { label_id: labelId })
  }
  return { id, boardId }
}
const issueOf = (instance: Instance, id: number, iid: number) =>
  instance.api<Issue>('GET', `/projects/${id}/issues/${iid}`)

test('a board is created, gets a list, and is renamed and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'avocet' })
  await instance.api('POST', `/projects/${id}/labels`, { name: 'doing', color: '#3178a8' })
  await app.enter('/root/avocet/-/issues')
  await view.getByRole('link', { name: 'Boards', exact: true }).click()
  await expect(view.getByRole('heading', { name: 'No boards yet' })).toBeVisible()
  await view.getByRole('button', { name: 'New board' }).click()
  await view.getByRole('textbox', { name: 'Name' }).fill('Sprint')
  await view.getByRole('button', { name: 'Create' }).click()
  await expect(app.heading('Sprint')).toBeVisible()
  await view.getByRole('button', { name: 'Add list' }).click()
  await view.getByRole('combobox', { name: 'Label' }).selectOption('doing')
  await view.getByRole('dialog').getByRole('button', { name: 'Add list' }).click()
  await expect(view.getByRole('region', { name: 'doing, 0' })).toBeVisible()
  await view.getByRole('button', { name: 'Board actions' }).click()
  await view.getByRole('menuitem', { name: 'Rename…' }).click()
  await view.getByRole('textbox', { name: 'Name' }).fill('Cycle')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(app.heading('Cycle')).toBeVisible()
  await view.getByRole('button', { name: 'Board actions' }).click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(view.getByRole('heading', { name: 'No boards yet' })).toBeVisible()
})

test('a card is dragged to another list, and back by undo', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'plover')
  await instance.api('POST', `/projects/${id}/issues`, { title: 'Ring the chicks' })
  await instance.api('POST', `/projects/${id}/issues`, { title: 'Count the nests', labels: 'review' })
  await view.setViewportSize({ width: 1680, height: 900 })
  await app.enter('/root/plover/-/boards')
  const column = (name: RegExp) => view.getByRole('region', { name })
  const card = (title: string) => view.getByRole('listitem', { name: title })
  await expect(column(/^Open, 1/)).toContainText('Ring the chicks')
  await expect(column(/^review, 1/)).toContainText('Count the nests')
  await card('Ring the chicks').dragTo(column(/^doing/))
  await expect(column(/^doing, 1/)).toContainText('Ring the chicks')
  await expect.poll(async () => (await issueOf(instance, id, 1)).labels).toEqual(['doing'])
  await app.message('to doing').getByRole('button', { name: 'Undo' }).click()
  await expect(column(/^Open, 1/)).toContainText('Ring the chicks')
  await expect.poll(async () => (await issueOf(instance, id, 1)).labels).toEqual([])
  await card('Count the nests').dragTo(column(/^Closed/))
  await expect.poll(async () => (await issueOf(instance, id, 2)).state).toBe('closed')
  await expect(column(/^Closed, 1/)).toContainText('Count the nests')
})

test('a card is moved by the keyboard, and announced @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'curlew')
  for (const title of ['First', 'Second']) await instance.api('POST', `/projects/${id}/issues`, { title })
  await app.enter('/root/curlew/-/boards')
  const card = (title: string) => view.getByRole('listitem', { name: title })
  await expect(card('Second')).toBeVisible()
  await card('First').focus()
  await view.keyboard.press('Space')
  await expect(view.getByRole('status').filter({ hasText: 'Picked up #1' })).toBeAttached()
  await view.keyboard.press('ArrowRight')
  await expect(view.getByRole('status').filter({ hasText: 'doing, position 1 of 1' })).toBeAttached()
  await expect(card('First')).toBeFocused()
  await view.keyboard.press('Escape')
  await expect(view.getByRole('region', { name: /^Open, 2/ })).toBeVisible()
  await view.keyboard.press('Space')
  await view.keyboard.press('ArrowRight')
  await view.keyboard.press('Space')
  await expect.poll(async () => (await issueOf(instance, id, 1)).labels).toEqual(['doing'])
  await expect(view.getByRole('region', { name: /^doing, 1/ })).toContainText('First')
  await expect(card('First')).toBeFocused()
  await view.keyboard.press('ArrowLeft')
  await expect(card('Second')).toBeFocused()
  await view.keyboard.press('Enter')
  await expect(app.heading('Second')).toBeVisible()
})

test('the order in a list is kept, and a refused move returns the card', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'dunlin')
  for (const title of ['One', 'Two', 'Three']) await instance.api('POST', `/projects/${id}/issues`, { title })
  await app.enter('/root/dunlin/-/boards')
  const titles = view.getByRole('region', { name: /^Open/ }).getByRole('listitem').getByRole('link')
  await expect(titles).toHaveText(['One', 'Two', 'Three'])
  await view.getByRole('listitem', { name: 'Three' }).focus()
  await view.keyboard.press('Space')
  await view.keyboard.press('ArrowUp')
  await view.keyboard.press('ArrowUp')
  await view.keyboard.press('Space')
  await expect(titles).toHaveText(['Three', 'One', 'Two'])
  await view.reload()
  await expect(titles).toHaveText(['Three', 'One', 'Two'])
  await view.route('**/api/v4/projects/*/issues/*', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 403, json: { message: '403 Forbidden' } })
      : route.continue(),
  )
  await view.getByRole('listitem', { name: 'Two' }).dragTo(view.getByRole('region', { name: /^doing/ }))
  await expect(app.message(/./)).toBeVisible()
  await expect(titles).toHaveText(['Three', 'One', 'Two'])
})

test('a group has a board of the issues in its projects', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id: groupId } = await instance.api<{ id: number }>('POST', '/groups', {
    name: 'waders',
    path: 'waders',
  })
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'knot',
    namespace_id: groupId,
  })
  await instance.api('POST', `/groups/${groupId}/boards`, { name: 'All' })
  await instance.api('POST', `/projects/${id}/issues`, { title: 'Watch the tide' })
  await view.setViewportSize({ width: 700, height: 700 })
  await app.enter('/groups/waders/-/boards')
  await expect(view.getByRole('region', { name: /^Open, 1/ })).toContainText('waders/knot#1')
})

test('cards are grouped by assignee, and a move to another lane assigns them', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'godwit')
  await instance.api('POST', `/projects/${id}/issues`, { title: 'Mine', assignee_ids: [1] })
  for (const title of ['Free', 'Spare']) await instance.api('POST', `/projects/${id}/issues`, { title })
  await view.setViewportSize({ width: 1680, height: 900 })
  await app.enter('/root/godwit/-/boards')
  await view.getByRole('combobox', { name: 'Group by' }).selectOption('Group by: Assignee')
  await expect(view).toHaveURL(/group_by=assignee/)
  const lane = (name: string) => view.getByRole('region', { name: /^Open/ }).getByRole('list', { name })
  await expect(lane('Administrator')).toContainText('Mine')
  await expect(lane('Unassigned')).toContainText('Free')
  const assignees = async (iid: number) =>
    (await instance.api<{ assignees: { id: number }[] }>('GET', `/projects/${id}/issues/${iid}`)).assignees

  await view.getByRole('listitem', { name: 'Spare' }).dragTo(lane('Administrator'))
  await expect(lane('Administrator')).toContainText('Spare')
  await expect.poll(() => assignees(3)).toMatchObject([{ id: 1 }])
  await app.message('to Open, Administrator').getByRole('button', { name: 'Undo' }).click()
  await expect(lane('Unassigned')).toContainText('Spare')
  await expect.poll(() => assignees(3)).toEqual([])

  await view.getByRole('listitem', { name: 'Free' }).focus()
  await view.keyboard.press('Space')
  await view.keyboard.press('ArrowUp')
  await expect(view.getByRole('status').filter({ hasText: 'Open, Administrator, position' })).toBeAttached()
  await view.keyboard.press('ArrowRight')
  await view.keyboard.press('Space')
  await expect.poll(() => assignees(2)).toMatchObject([{ id: 1 }])
  await expect.poll(async () => (await issueOf(instance, id, 2)).labels).toEqual(['doing'])

  // The browser reports that the pointer left a list when the element below it is replaced. The drop counts nevertheless.
  const dataTransfer = await view.evaluateHandle(() => new DataTransfer())
  await view.getByRole('listitem', { name: 'Spare' }).dispatchEvent('dragstart', { dataTransfer })
  for (const type of ['dragover', 'dragleave', 'drop'])
    await lane('Administrator').dispatchEvent(type, { dataTransfer })
  await expect.poll(() => assignees(3)).toMatchObject([{ id: 1 }])

  await view.getByRole('button', { name: /^Administrator/ }).click()
  await expect(view.getByRole('listitem', { name: 'Mine' })).toBeHidden()
})

test('cards are grouped by label, and a card with two labels is in both lanes', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'lapwing')
  const add = (title: string, labels: string) =>
    instance.api('POST', `/projects/${id}/issues`, { title, labels })
  await add('Both', 'bug,ui,doing')
  await add('Single', 'bug')
  await add('Plain', '')
  await view.setViewportSize({ width: 1680, height: 900 })
  await app.enter('/root/lapwing/-/boards?group_by=label')
  const lane = (name: string, column = /^Open/) =>
    view.getByRole('region', { name: column }).getByRole('list', { name })
  // The labels of the columns have no lanes.
  await expect(view.getByRole('button', { expanded: true })).toHaveText([
    /^bug\s*2$/,
    /^ui\s*1$/,
    /^No label\s*1$/,
  ])
  await expect(lane('bug', /^doing/)).toContainText('Both')
  await expect(lane('ui', /^doing/)).toContainText('Both')
  const labels = async (iid: number) => (await issueOf(instance, id, iid)).labels.toSorted()

  await lane('No label').getByRole('listitem', { name: 'Plain' }).dragTo(lane('ui'))
  await expect.poll(() => labels(3)).toEqual(['ui'])
  await app.message('to Open, ui').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => labels(3)).toEqual([])
  await expect(lane('No label')).toContainText('Plain')

  await lane('bug').getByRole('listitem', { name: 'Single' }).focus()
  await view.keyboard.press('Space')
  await view.keyboard.press('ArrowDown')
  await expect(view.getByRole('status').filter({ hasText: 'Open, ui, position 1 of 1' })).toBeAttached()
  await view.keyboard.press('ArrowRight')
  await view.keyboard.press('Space')
  await expect.poll(() => labels(2)).toEqual(['doing', 'ui'])

  // Without its label the card leaves both lanes. Undo restores both.
  await lane('ui', /^doing/)
    .getByRole('listitem', { name: 'Both' })
    .dragTo(lane('No label', /^doing/))
  await expect.poll(() => labels(1)).toEqual(['doing'])
  await expect(lane('bug', /^doing/)).toHaveCount(0)
  await app.message('to doing, No label').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => labels(1)).toEqual(['bug', 'doing', 'ui'])
  await expect(lane('bug', /^doing/)).toContainText('Both')
})

test('a list with more issues than its limit is marked', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeBoard(instance, 'sanderling')
  for (const title of ['One', 'Two'])
    await instance.api('POST', `/projects/${id}/issues`, { title, labels: 'doing' })
  await app.enter('/root/sanderling/-/boards')
  const list = view.getByRole('region', { name: /^doing/ })
  await list.getByRole('button', { name: 'Actions for doing' }).click()
  await view.getByRole('menuitem', { name: 'Set limit…' }).click()
  await view.getByRole('spinbutton', { name: 'Maximum number of issues' }).fill('1')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(list).toContainText('2 / 1')
  await expect(list.getByRole('img', { name: 'More issues than the limit' })).toBeVisible()
  await view.reload()
  await expect(list).toContainText('2 / 1')
})
