import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { joins, windowOf } from './support/people.ts'
import { makeTern } from './support/tern.ts'
import { walk } from '../support/guide.ts'

test('merge-requests.md: from the pushed branch to the merge and its revert', async ({
  view,
  instance,
  browser,
  contextOptions,
}) => {
  test.slow()
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const page = walk('guide/merge-requests', { sections: ['Merge requests and review'] })
  const { id, tree } = await makeTern(instance)
  const ines = await joins(instance, id, 'Ines', 40)

  // Pushes a branch, which the window suggests for a merge request.
  await tree.git('checkout', '--quiet', '-b', 'licence')
  await tree.commit('Add a licence', { LICENSE: 'Do what you like.\nMind the rocks.\n' })
  await tree.push('licence')
  await app.enter('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: new RegExp(`^${page.name('Merge requests')}`) })
    .click()
  await view
    .getByRole('link', { name: page.name('New merge request') })
    .first()
    .click()
  await view.getByRole('group', { name: 'Recent branches' }).getByRole('button', { name: 'licence' }).click()
  await expect(view.getByLabel('Title')).toHaveValue('Add a licence')
  await view.getByRole('button', { name: /^Create merge request/ }).click()
  await expect(app.heading(/Add a licence/)).toBeVisible()
  for (const tab of ['Conversation', 'Commits', 'Pipelines', 'Changes'] as const) {
    page.name(tab)
    await mine.tab(tab).click()
    await expect(mine.tab(tab)).toHaveAttribute('aria-current', /./)
  }

  // A comment at a line, published at once, and a suggestion in a review.
  const other = await windowOf(ines, instance, `${app.address()}`, { browser, contextOptions })
  const theirs = new MergeRequestPage(other.page)
  const text = theirs.form.getByRole('textbox', { name: 'Comment on these lines' })
  const line = (content: string) => theirs.changes.locator('.dl.add').filter({ hasText: content })
  await line('Do what').locator('i').last().click()
  await text.fill('Like that one.')
  await theirs.form.getByRole('button', { name: /^Comment/ }).click()
  await expect(theirs.thread('Like that one.')).toBeVisible()
  await line('Mind').locator('i').last().click()
  await theirs.form.getByRole('button', { name: 'Suggest a change' }).click()
  await text.fill((await text.inputValue()).replace('Mind', 'But mind'))
  await theirs.form.getByRole('button', { name: 'Start a review' }).click()
  await expect(theirs.draft).toContainText('only you see this')
  await other.page.getByRole('button', { name: new RegExp(`^${page.name('Submit review')}`) }).click()
  await theirs.submit.getByRole('button', { name: 'Submit' }).click()
  await expect(theirs.draft).toHaveCount(0)
  await other.page.context().close()

  // The merge box shows what prevents the merge. The author applies the suggestion with one click.
  await mine.tab('Conversation').click()
  await expect(mine.box).toContainText('Two unresolved threads')
  await mine.thread('But mind').getByRole('button', { name: 'Apply suggestion' }).click()
  await expect(mine.box).toContainText('One unresolved thread')

  // Conflicts are resolved in the window.
  await tree.git('checkout', '--quiet', 'main')
  await tree.commit('Another licence', { LICENSE: 'Ask first.\n' })
  await tree.push('main')
  await expect(mine.box).toContainText('Conflicts with main')
  await mine.box.getByRole('link', { name: page.name('Resolve conflicts') }).click()
  await view.getByRole('button', { name: 'Use both' }).first().click()
  await view.getByRole('button', { name: /^Commit to licence/ }).click()
  await expect(mine.box).toContainText('Ready to merge')

  // While a pipeline runs, the merge waits for it.
  const { sha } = await instance.api<{ sha: string }>('GET', `/projects/${id}/merge_requests/1`)
  const report = (state: string) =>
    instance.api('POST', `/projects/${id}/statuses/${sha}`, { state, name: 'tides', ref: 'licence' })
  await report('running')
  await mine.box.getByRole('button', { name: page.name('Merge when ready') }).click()
  await report('success')
  await expect(mine.end).toContainText('Merged by')

  // Reverts the change on the target branch.
  await mine.end.getByRole('button', { name: page.name('Revert…') }).click()
  await view
    .getByRole('dialog')
    .getByRole('button', { name: /^Revert/ })
    .click()
  await expect(app.heading(/^Revert/)).toBeVisible()
  await tree.git('fetch', '--quiet', 'origin')
  expect(await tree.git('show', 'origin/main:LICENSE')).toBe('Ask first.')

  // Merges at once, because there is no pipeline.
  const at = `/projects/${id}/merge_requests`
  const next = { source_branch: 'fix/slack-water', target_branch: 'main', title: 'Slack water' }
  const { iid } = await instance.api<{ iid: number }>('POST', at, next)
  await app.open(`/root/tern/-/merge_requests/${iid}`)
  await mine.box.getByRole('button', { name: new RegExp(`^${page.name('Merge')}`) }).click()
  await expect(mine.end).toContainText('Merged by')
  page.done()
})

test('merge-requests.md: the rules of the project, code owners and templates', async ({ view, instance }) => {
  const app = new App(view, instance)
  const page = walk('guide/merge-requests', { sections: ['Rules'] })
  const { id, tree } = await makeTern(instance)
  const owners = page.quote('CODEOWNERS')
  const templates = page.quote('.gitlab/merge_request_templates')
  await tree.commit('Owners and templates', {
    [owners]: '*.rs @root\n',
    [`${templates}/Change.md`]: 'What changes for users?\n',
    [`${page.quote('.gitlab/issue_templates')}/Bug.md`]: 'What did you expect?\n',
  })
  await tree.push('main')

  await app.enter('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: page.name('Settings'), exact: true })
    .click()
  const pages = view.getByRole('navigation', { name: 'Project settings' })
  const open = async (name: string) => {
    await pages.getByRole('link', { name: page.name(name), exact: true }).click()
    await expect(app.heading(name)).toBeVisible()
  }
  await open('Merge requests')
  await expect(view.getByText('Merge method').first()).toBeVisible()
  await expect(view.getByText(/squash/i).first()).toBeVisible()
  await expect(view.getByText('Pipelines must succeed').first()).toBeVisible()
  await expect(view.getByText(/threads must be resolved/).first()).toBeVisible()
  await open('Approvals')
  await open('Repository')
  await expect(view.getByText('Protected branches').first()).toBeVisible()
  await expect(view.getByText('Protected tags').first()).toBeVisible()
  await open('Push rules')

  await app.open('/root/tern/-/issues/new')
  await view
    .getByRole('button', { name: /template/i })
    .first()
    .click()
  await view.getByRole('option', { name: 'Bug' }).click()
  await expect(view.getByRole('textbox', { name: 'Description' })).toHaveValue(/What did you expect/)
  await app.open('/root/tern/-/merge_requests/new')
  await view.getByRole('group', { name: 'Recent branches' }).getByRole('button').first().click()
  await view
    .getByRole('button', { name: /template/i })
    .first()
    .click()
  await view.getByRole('option', { name: 'Change' }).click()
  await expect(view.getByRole('textbox', { name: 'Description' })).toHaveValue(/What changes for users/)
  await view.getByRole('button', { name: /^Create merge request/ }).click()
  // The owner of the changed file may approve it.
  await expect(view).toHaveURL(/\/-\/merge_requests\/1$/)
  const state = () =>
    instance.api<{ rules: { name: string }[] }>('GET', `/projects/${id}/merge_requests/1/approval_state`)
  await expect.poll(async () => (await state()).rules.map(({ name }) => name)).toContain('*.rs')
  page.done()
})

test('issues.md: an issue from its form to the commit that closes it', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const page = walk('guide/issues', { sections: ['Issues and boards', 'Text'] })
  const { id, tree } = await makeTern(instance)
  await instance.api('POST', `/projects/${id}/labels`, { name: 'bug', color: '#d9534f' })
  await instance.api('POST', `/projects/${id}/milestones`, { title: '1.0' })

  await app.enter('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: new RegExp(`^${page.name('Issues')}`) })
    .click()
  await view
    .getByRole('link', { name: page.name('New issue') })
    .first()
    .click()
  await view.getByLabel('Title').fill('The tide turns too early')
  await view
    .getByRole('textbox', { name: 'Description' })
    .fill(
      '- [ ] read both\n\n> [!NOTE]\n> Two gauges.\n\nLook[^1], @root and #1.\n\n[^1]: at noon\n\n```mermaid\ngraph LR; a --> b\n```\n\n$`x^2`$',
    )
  await view.getByRole('textbox', { name: 'Due' }).fill('2030-01-31')
  await view.getByRole('button', { name: /^Assignees/ }).click()
  await view.getByRole('option', { name: /Administrator/ }).click()
  await view.keyboard.press('Escape')
  await view.getByRole('button', { name: /^Labels/ }).click()
  await view.getByRole('option', { name: 'bug' }).click()
  await view.keyboard.press('Escape')
  await view.getByRole('button', { name: /^Milestone/ }).click()
  await view.getByRole('option', { name: '1.0' }).click()
  await view.getByRole('button', { name: 'Open issue' }).click()
  await expect(app.heading(/The tide turns too early/)).toBeVisible()
  const body = view.getByRole('article', { name: 'Description' })
  await expect(body.getByRole('checkbox')).not.toBeChecked()
  await expect(body.locator('svg').first()).toBeVisible()
  await expect(body.locator('math, .katex').first()).toBeAttached()
  await expect(body.getByRole('link', { name: '@root' })).toBeVisible()
  await expect(body).toContainText('at noon')
  await expect(body).toContainText('Two gauges.')

  // Quick actions.
  await instance.api('POST', `/projects/${id}/labels`, { name: 'docs', color: '#5cb85c' })
  const comment = view.getByRole('textbox', { name: 'Comment', exact: true })
  page.quote('/label ~bug')
  await comment.fill('/label ~docs')
  await comment.press('ControlOrMeta+Enter')
  await expect(view.getByRole('complementary', { name: 'Details' })).toContainText('docs')

  // The commit that closes the issue.
  await tree.commit(`Read the gauge twice\n\n${page.quote('Closes #12').replace('12', '1')}`, {
    'a.txt': 'a\n',
  })
  await tree.push('main')
  await expect(view.getByRole('button', { name: 'Reopen issue' })).toBeVisible()

  // Several issues together.
  for (const title of ['One', 'Two']) await instance.api('POST', `/projects/${id}/issues`, { title })
  await app.open('/root/tern/-/issues')
  await expect(app.main.getByRole('link', { name: 'Two', exact: true })).toBeVisible()
  for (const title of ['One', 'Two']) {
    const row = app.main.getByRole('listitem').filter({ hasText: title })
    await row.hover()
    await row.getByRole('checkbox').check()
  }
  await view.getByRole('button', { name: 'Add labels' }).click()
  await view.getByRole('option', { name: 'bug' }).click()
  await view.keyboard.press('Escape')
  await expect
    .poll(() => instance.api<object[]>('GET', `/projects/${id}/issues?labels=bug&state=opened`))
    .toHaveLength(2)
  page.done()
})

test('issues.md: cards on a board', async ({ view, instance }) => {
  const app = new App(view, instance)
  const page = walk('guide/issues', { sections: ['Boards'] })
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'tern' })
  await instance.api('POST', `/projects/${id}/labels`, { name: 'doing', color: '#3178a8' })
  for (const title of ['One', 'Two']) await instance.api('POST', `/projects/${id}/issues`, { title })
  const issue = (iid: number) =>
    instance.api<{ labels: string[]; state: string; assignees: object[] }>(
      'GET',
      `/projects/${id}/issues/${iid}`,
    )
  await view.setViewportSize({ width: 1680, height: 900 })
  await app.enter('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: page.name('Boards'), exact: true })
    .click()
  await view.getByRole('button', { name: 'New board' }).click()
  await view.getByRole('textbox', { name: 'Name' }).fill('Work')
  await view.getByRole('button', { name: 'Create' }).click()
  await view.getByRole('button', { name: page.name('Add list') }).click()
  await view.getByRole('combobox', { name: 'Label' }).selectOption('doing')
  await view.getByRole('dialog').getByRole('button', { name: 'Add list' }).click()
  const column = (name: string) => view.getByRole('region', { name: new RegExp(`^${name}, `) })
  const card = (title: string) => view.getByRole('listitem', { name: title })
  await card('One').dragTo(column('doing'))
  await expect.poll(async () => (await issue(1)).labels).toEqual(['doing'])
  await card('Two').focus()
  for (const key of ['Space', 'ArrowRight', 'Escape']) await view.keyboard.press(key)
  expect((await issue(2)).labels).toEqual([])
  for (const key of ['Space', 'ArrowRight', 'Space']) await view.keyboard.press(key)
  await expect.poll(async () => (await issue(2)).labels).toEqual(['doing'])

  // A limit of issues in a list.
  await column('doing').getByRole('button', { name: 'Actions for doing' }).click()
  await view.getByRole('menuitem', { name: 'Set limit…' }).click()
  await view.getByRole('spinbutton', { name: 'Maximum number of issues' }).fill('1')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(column('doing').getByRole('img', { name: 'More issues than the limit' })).toBeVisible()

  await card('One').dragTo(column(page.name('Closed')))
  await expect.poll(async () => (await issue(1)).state).toBe('closed')
  await instance.api('PUT', `/projects/${id}/issues/2`, { assignee_ids: [1] })
  await view.getByRole('combobox', { name: page.name('Group by') }).selectOption('Group by: Assignee')
  await expect(column('doing').getByRole('list', { name: 'Administrator' })).toContainText('Two')
  page.done()
})
