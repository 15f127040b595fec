import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('files are attached to a comment, a draft is kept, and closing is undone', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/issues`, { title: 'Sound' })
  await app.enter(`/root/heron/-/issues/${iid}`)
  const comment = view.getByRole('textbox', { name: 'Comment' })
  await comment.fill('See ')
  const paste = await view.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['ebb and flow'], 'tides.txt', { type: 'text/plain' }))
    return data
  })
  await comment.evaluate(
    (field, data) => field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })),
    paste,
  )
  await expect(comment).toHaveValue(/See \[tides\.txt\]\(\/uploads\//)

  await view.reload()
  await expect(comment).toHaveValue(/See \[tides\.txt\]/)
  await view.getByRole('button', { name: 'Comment', exact: false }).first().click()
  await expect(view.getByRole('link', { name: 'tides.txt' })).toBeVisible()
  await expect(comment).toHaveValue('')

  await view.getByRole('button', { name: 'Close issue' }).click()
  await app.message(`#${iid} closed`).getByRole('button', { name: 'Undo' }).click()
  await expect(view.getByRole('button', { name: 'Close issue' })).toBeVisible()
})

test('the window reports that the instance does not respond', async ({ view, instance }) => {
  test.skip(
    process.env['DESKFORGE_TEST_SLOW'] !== undefined,
    'Chromium cannot be offline while its network is slowed down',
  )
  const app = new App(view, instance)
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()
  await view.context().setOffline(true)
  await app.entry('Runners').click()
  await expect(app.message('the instance does not respond')).toBeVisible()
})

test('a branch that was pushed a moment ago is suggested for a merge request', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'heron',
    initialize_with_readme: true,
  })
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'night-lights',
    start_branch: 'main',
    commit_message: 'Light the bar',
    actions: [{ action: 'create', file_path: 'lights.txt', content: 'red\n' }],
  })
  await app.enter('/root/heron/-/merge_requests')
  await expect(app.main.getByText('You pushed night-lights')).toBeVisible()
  await app.open('/root/heron/-/merge_requests/new')
  await view
    .getByRole('group', { name: 'Recent branches' })
    .getByRole('button', { name: 'night-lights' })
    .click()
  await expect(view.getByRole('textbox', { name: 'Title' })).toHaveValue('Light the bar')
})
