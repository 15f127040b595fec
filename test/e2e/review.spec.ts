import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { joins, windowOf } from './support/people.ts'
import { makeTern } from './support/tern.ts'

test('two people review a change from the push to the merge @core', async ({
  view,
  instance,
  browser,
  contextOptions,
}) => {
  test.slow()
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id } = await makeTern(instance, { only_allow_merge_if_all_discussions_are_resolved: true })
  const ines = await joins(instance, id, 'Ines')
  await instance.api('POST', `/projects/${id}/approval_rules`, {
    name: 'pilots',
    approvals_required: 1,
    user_ids: [ines.id],
  })

  // The pushed branch is proposed.
  await app.enter('/root/tern')
  const pushed = view.getByRole('status').filter({ hasText: 'You pushed fix/slack-water' })
  await pushed.getByRole('link', { name: 'Create merge request' }).click()
  await expect(view.getByLabel('Title')).toHaveValue('Count slack water as open')
  await view.getByRole('radio', { name: /^Changes/ }).click()
  await expect(mine.changes.locator('.dl.add')).toContainText('> draught')
  await view.getByRole('radio', { name: 'Merge request' }).click()
  await view.getByRole('textbox', { name: 'Description' }).fill('At slack water the bar is passable.')
  await view.getByRole('button', { name: /^Reviewers/ }).click()
  await view.keyboard.type('ines')
  await view.getByRole('option', { name: /Ines/ }).click()
  await view.keyboard.press('Escape')
  await view.getByRole('button', { name: /^Create merge request/ }).click()
  await expect(app.heading(/Count slack water as open/)).toBeVisible()
  await expect(mine.box).toContainText('One more approval from pilots')
  await expect(mine.box).toContainText('@ines can approve')
  await expect(mine.box.getByRole('button', { name: /^Merge/ })).toBeDisabled()

  // The reviewer comments on a line and suggests a change.
  const address = app.address()
  const other = await windowOf(ines, instance, `${address}/diffs`, { browser, contextOptions })
  const theirs = new MergeRequestPage(other.page)
  await expect(theirs.changes.locator('.dl.add')).toContainText('> draught')
  await other.page.keyboard.press('.')
  await other.page.keyboard.press('.')
  await other.page.keyboard.press('c')
  const text = theirs.form.getByRole('textbox', { name: 'Comment on these lines' })
  await expect(text).toBeFocused()
  await text.fill('At the very edge a boat still touches.')
  await theirs.form.getByRole('button', { name: 'Suggest a change' }).click()
  await expect(text).toHaveValue(/```suggestion\n.*> draught/)
  await text.fill((await text.inputValue()).replace('> draught', '> draught + 0.1'))
  await theirs.form.getByRole('button', { name: 'Start a review' }).click()
  await expect(theirs.draft).toContainText('only you see this')
  await theirs.changes.locator('.dl.del > i').click()
  await text.fill('Who wrote this?')
  await other.page.keyboard.press('ControlOrMeta+Enter')
  await expect(theirs.draft).toHaveCount(2)
  await expect(mine.box).not.toContainText('thread')
  await other.page.keyboard.press('s')
  await expect(theirs.submit).toContainText('2 drafts')
  await theirs.submit.getByRole('textbox', { name: 'Summary' }).fill('Nearly there.')
  await theirs.submit.getByRole('button', { name: 'Submit' }).click()
  await expect(theirs.draft).toHaveCount(0)
  await expect(theirs.thread('At the very edge')).toContainText('Open')

  // The author sees the comment without a reload, applies the suggestion, and resolves the thread.
  await expect(mine.box).toContainText('Two unresolved threads')
  await expect(app.main).toContainText('Nearly there.')
  const thread = mine.thread('At the very edge')
  await expect(thread.locator('.dl.add')).toContainText('> draught + 0.1')
  await thread.getByRole('button', { name: 'Apply suggestion' }).click()
  await expect(mine.box).toContainText('One unresolved thread')
  await expect(mine.thread('Resolved by')).toHaveCount(1)
  await mine
    .thread('Resolved by')
    .getByRole('button', { name: /^Resolved by/ })
    .click()
  await expect(thread).toContainText('Applied')
  await expect(mine.tab('Commits')).toContainText('2')
  await mine.tab('Changes').click()
  await expect(mine.changes.locator('.dl.add')).toContainText('> draught + 0.1')
  await expect(mine.thread('Who wrote this?')).toBeVisible()
  await view.keyboard.press('n')
  await view.keyboard.press('r')
  await expect(mine.thread('Who wrote this?')).toHaveCount(0)
  await mine.tab('Conversation').click()
  await expect(mine.box).not.toContainText('thread')

  // The reviewer approves, and the author merges.
  await theirs.tab('Conversation').click()
  await expect(theirs.details.getByRole('button', { name: /^Approve/ })).toBeVisible()
  await other.page.keyboard.press('a')
  await expect(theirs.details).toContainText('Ines approved')
  await expect(mine.box).toContainText('Ready to merge')
  await mine.box.getByLabel('Squash commits').check()
  await mine.box.getByLabel('Delete branch').check()
  await view.keyboard.press('m')
  await expect(mine.end).toContainText('Merged by')
  await expect(mine.end).toContainText('Source branch deleted')
  await expect(theirs.end).toContainText('Merged by')
  await other.page.context().close()

  const file = await instance.api<{ content: string }>(
    'GET',
    `/projects/${id}/repository/files/src%2Fwindows.rs?ref=main`,
  )
  expect(Buffer.from(file.content, 'base64').toString()).toContain('> draught + 0.1')
})
