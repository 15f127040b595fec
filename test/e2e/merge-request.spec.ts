import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test, type Instance } from './support/instance.ts'
import { makeTern } from './support/tern.ts'
import { pushAddress } from './support/work-tree.ts'

interface Request {
  readonly iid: number
  readonly sha: string
}

/** A merge request of the owner, after its first version was created. */
async function propose(instance: Instance, id: number, fields: Record<string, unknown>): Promise<Request> {
  const at = `/projects/${id}/merge_requests`
  const { iid } = await instance.api<Request>('POST', at, {
    source_branch: 'fix/slack-water',
    target_branch: 'main',
    title: 'Count slack water as open',
    ...fields,
  })
  const find = () => instance.api<Request>('GET', `${at}/${iid}`)
  await expect.poll(async () => (await find()).sha).toBeTruthy()
  return find()
}

test('the obstacles of a merge are listed and removed one by one, and then the merge happens automatically', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id } = await makeTern(instance, { only_allow_merge_if_pipeline_succeeds: true })
  const { iid, sha } = await propose(instance, id, { title: 'Draft: Count slack water as open' })
  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(page.box).toContainText('Two conditions keep this from merging')
  await expect(page.box).toContainText('No pipelines yet')
  await page.box.getByRole('button', { name: 'Mark as ready' }).click()
  await expect(page.box).toContainText('One condition keeps this from merging')
  await expect(app.heading('Count slack water as open')).toBeVisible()

  const report = (state: string) =>
    instance.api('POST', `/projects/${id}/statuses/${sha}`, { state, name: 'tides', ref: 'fix/slack-water' })
  await report('running')
  await expect(page.box).toContainText(/Pipeline #\d+ is running/)
  await page.box.getByRole('button', { name: 'Merge when ready' }).click()
  await expect(page.box.getByRole('button', { name: 'Cancel auto-merge' })).toBeVisible()
  await page.tab('Pipelines').click()
  await expect(app.main).toContainText('reported by an external system')
  await page.tab('Conversation').click()
  await report('success')
  await expect(page.end).toContainText('Merged by')
})

test('a merge is shown as soon as the server responds', async ({ view, instance }) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id } = await makeTern(instance)
  const { iid } = await propose(instance, id, {})
  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(page.box).toContainText('Ready to merge')
  // Nothing about the merge request is requested again until the end of the journey.
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await view.route(/\/api\/v4\/projects\/[^/]+\/merge_requests\/\d+(\?|$)/, async (route) => {
    if (route.request().method() === 'GET') await held
    await route.continue()
  })
  await page.box.getByRole('button', { name: /^Merge/ }).click()
  await expect(page.end).toContainText('Merged by')
  release()
  await view.unrouteAll({ behavior: 'wait' })
  await expect(page.end).toContainText('Merged by')
})

test('a conflict lists its files and ways to resolve it, and a closed merge request is reopened', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id, tree } = await makeTern(instance)
  const { iid } = await propose(instance, id, {})
  await tree.commit('Open the bar at night, too', { 'src/windows.rs': 'pub fn windows() {}\n' })
  await tree.push('main')
  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(page.box).toContainText('Conflicts with main')
  // A rebase would have the same conflict.
  await expect(page.box.getByRole('button', { name: 'Rebase' })).toHaveCount(0)
  await expect(page.box.getByRole('list', { name: 'Conflicting files' })).toContainText('src/windows.rs')
  await page.box.getByText('Resolve locally').click()
  await expect(page.box).toContainText('git rebase origin/main')

  await view.getByRole('button', { name: 'Close merge request' }).click()
  await expect(page.end).toContainText('Closed by')
  await expect(page.end).toContainText('Its changes were not merged into main')
  await page.end.getByRole('button', { name: 'Reopen' }).click()
  await expect(page.box).toContainText('Conflicts with main')
  await expect(app.main).toContainText('closed this')
  await expect(app.main).toContainText('reopened this')
})

test('a merge request is edited on its page: title, members, labels, time, comments @core', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id } = await makeTern(instance)
  await instance.api('POST', `/projects/${id}/labels`, { name: 'tides', color: '#0aa5c0' })
  const { iid } = await propose(instance, id, {})
  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(page.box).toBeVisible()
  await view.keyboard.press('e')
  const dialog = view.getByRole('dialog', { name: 'Edit merge request' })
  await dialog.getByLabel('Title').fill('Count slack water')
  await dialog.getByRole('textbox', { name: 'Description' }).fill('It is **open**.')
  await dialog.getByRole('radio', { name: 'Preview' }).click()
  await expect(dialog.getByRole('region', { name: /Preview/ }).locator('strong')).toHaveText('open')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(app.heading(/^Count slack water !/)).toBeVisible()

  await page.details.getByRole('button', { name: 'assign yourself' }).click()
  await expect(page.details.getByText('you', { exact: true })).toBeVisible()
  await page.details.getByRole('button', { name: 'Change labels' }).click()
  await view.getByRole('option', { name: 'tides' }).click()
  await view.keyboard.press('Escape')
  await expect(page.details.getByRole('link', { name: 'tides' })).toBeVisible()
  await page.details.getByRole('button', { name: 'Track time' }).click()
  await view.getByLabel('Estimate').fill('3h')
  await view.getByLabel('Add time spent').fill('45m')
  await view.keyboard.press('Enter')
  await expect(page.details).toContainText('45m spent')
  await expect(page.details).toContainText('of 3h')

  const comment = view.getByRole('textbox', { name: 'Comment', exact: true })
  await comment.fill('See @ro')
  await comment.press('End')
  await comment.pressSequentially('o')
  await view.getByRole('option', { name: /@root/ }).click()
  await expect(comment).toHaveValue('See @root ')
  await comment.pressSequentially('there.')
  await comment.press('ControlOrMeta+Enter')
  const posted = view.getByRole('article', { name: /^Comment by/ })
  await expect(posted).toContainText('See @root there.')
  await posted.getByRole('button', { name: 'Add reaction' }).click()
  await view.getByRole('button', { name: 'tada' }).click()
  await expect(posted.getByRole('button', { name: 'tada, 1' })).toHaveAttribute('aria-pressed', 'true')
  await comment.fill('/unlabel ~tides')
  await comment.press('ControlOrMeta+Enter')
  await expect(page.details.getByRole('link', { name: 'tides' })).toHaveCount(0)
})

test('changes are read file by file, with surrounding lines and between versions', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id, tree } = await makeTern(instance)
  const { iid } = await propose(instance, id, {})
  await tree.git('checkout', '--quiet', 'fix/slack-water')
  await tree.commit('Say why', {
    'docs/slack.md': '# Slack water\n\nNothing moves.\n',
    'package-lock.json': '{ "lockfileVersion": 3 }\n',
  })
  await tree.push('fix/slack-water')
  await app.enter(`/root/tern/-/merge_requests/${iid}/diffs`)
  await expect(page.files.getByRole('treeitem', { name: /slack\.md/ })).toBeVisible()
  await expect(view.getByLabel('Version', { exact: true })).toHaveText(/latest v2/)

  await view.keyboard.press('v')
  await expect(app.main).toContainText('1 of 3 viewed')
  await expect(page.changes).not.toContainText('Nothing moves.')
  await view.reload()
  await expect(app.main).toContainText('1 of 3 viewed')
  await expect(page.changes).toContainText('Generated file')
  await page.changes.getByRole('button', { name: 'Load diff' }).click()
  await expect(page.changes).toContainText('lockfileVersion')

  await page.changes.getByRole('button', { name: /^Show lines above/ }).click()
  await expect(page.changes).toContainText('use crate::tide')
  await view.keyboard.press('t')
  await view.keyboard.type('slack')
  await expect(page.files.getByRole('treeitem', { name: /windows\.rs/ })).toHaveCount(0)
  await view.keyboard.press('Escape')

  await view.getByLabel('Compare with').selectOption({ label: 'v1' })
  await expect(page.files.getByRole('treeitem', { name: /windows\.rs/ })).toHaveCount(0)
  await expect(view).toHaveURL(/start_sha=/)
})

test('the changes of a fork are proposed to its parent project', async ({ view, instance }) => {
  const app = new App(view, instance)
  const page = new MergeRequestPage(view)
  const { id, tree } = await makeTern(instance)
  const fork = await instance.api<{ id: number }>('POST', `/projects/${id}/fork`, {
    name: 'tern of mine',
    path: 'tern-mine',
  })
  const status = async () =>
    (await instance.api<{ import_status: string }>('GET', `/projects/${fork.id}`)).import_status
  await expect.poll(status).toBe('finished')
  await tree.git('checkout', '--quiet', '-b', 'docs/bar')
  await tree.commit('Say where the bar lies', { 'docs/bar.md': 'A mile off.\n' })
  await tree.git('push', '--quiet', pushAddress(instance, 'root/tern-mine'), 'docs/bar')

  await app.enter('/root/tern-mine')
  await view.getByRole('link', { name: 'Create merge request' }).click()
  await expect(view.getByLabel('Target project')).toHaveText(/root\/tern/)
  await expect(view.getByLabel('Title')).toHaveValue('Say where the bar lies')
  await view.getByRole('radio', { name: /^Commits/ }).click()
  await expect(app.main.locator('.row-link')).toHaveText(['Say where the bar lies'])
  await view.keyboard.press('ControlOrMeta+Enter')
  await expect(view).toHaveURL(/\/root\/tern\/-\/merge_requests\/1$/)
  await expect(app.main).toContainText('root/tern-mine:docs/bar')
  await expect(page.box).toContainText('Ready to merge')
  await view.keyboard.press('m')
  await expect(page.end).toContainText('Merged by')
})
