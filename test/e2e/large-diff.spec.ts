import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('a huge file is counted, described as too large, and loaded on request', async ({ view, instance }) => {
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id, tree } = await makeTern(instance)
  const text = (word: string) =>
    Array.from({ length: 12_000 }, (_, at) => `${at},${word} of the harbor\n`).join('')
  await tree.git('checkout', '--quiet', '-b', 'gauges', 'main')
  await tree.commit('Add a year of heights', { 'heights.csv': text('height'), 'small.txt': 'one\n' })
  await tree.push('gauges')
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'gauges',
    target_branch: 'main',
    title: 'A year of heights',
  })
  await app.enter(`/root/tern/-/merge_requests/${iid}/diffs`)
  await expect(view.getByText('+12,001').first()).toBeVisible()
  const remark = mine.changes.locator('.remark').filter({ hasText: 'Too large to show.' })
  await expect(remark).toBeVisible()
  await remark.getByRole('button', { name: 'Load diff' }).click()
  await expect(mine.changes.locator('.dl.add').first()).toContainText('0,height of the harbor')
  await expect(remark).toHaveCount(0)

  // The same file in the diff of a commit.
  const sha = await tree.commit('Correct the heights', { 'heights.csv': text('depth') })
  await tree.push('gauges')
  await app.enter(`/root/tern/-/commit/${sha}`)
  await expect(remark).toBeVisible()
  await expect(view.getByText('+12,000').first()).toBeVisible()
  await remark.getByRole('button', { name: 'Load diff' }).click()
  await expect(mine.changes.locator('.dl.del').first()).toContainText('0,height of the harbor')
})
