import { flag, inner, text, whole, type Fields } from '../../hosts/answers.ts'
import { peopleOf, personIn } from '../people.ts'
import { repoPath, take, walk, type Work, type Stage } from '../work.ts'
import { assigneesOf, labelsOf } from './pull-requests.ts'

const isIssue = (item: Fields): boolean => inner(item, 'pull_request') === null

/** Stage 7: issues; the same list has the labels of pull requests. */
export const issues: Stage = {
  name: 'issues',
  run(work) {
    const query = { state: 'all', sort: 'created', direction: 'asc' }
    return walk(work, { path: `${repoPath(work)}/issues`, query, stat: 'issue', counts: isIssue }, (item) =>
      isIssue(item) ? takeIssue(work, item) : addLabels(work, item),
    )
  },
}

async function takeIssue(work: Work, item: Fields): Promise<void> {
  const iid = whole(item, 'number') ?? 0
  const key = String(iid)
  await take(work, { stat: 'issue', mark: 'issue', key, name: `Issue ${iid}` }, async () =>
    work.landing.issue({
      source_key: key,
      iid,
      title: text(item, 'title') ?? '',
      description: text(item, 'body'),
      author: await personIn(work, item, 'user'),
      assignees: await peopleOf(work, assigneesOf(item)),
      milestone_iid: whole(inner(item, 'milestone'), 'number'),
      labels: labelsOf(item),
      discussion_locked: flag(item, 'locked'),
      state: text(item, 'state') === 'closed' ? 'closed' : 'opened',
      created_at: text(item, 'created_at') ?? work.ctx.now,
      updated_at: text(item, 'updated_at'),
      closed_at: text(item, 'closed_at'),
      ...(inner(item, 'closed_by') ? { closed_by: await personIn(work, item, 'closed_by') } : {}),
    }),
  )
}

async function addLabels(work: Work, item: Fields): Promise<void> {
  const titles = labelsOf(item)
  const iid = whole(item, 'number') ?? 0
  const key = `labels:${iid}`
  if (titles.length === 0) return
  await take(
    work,
    { stat: 'pull_request_label', mark: 'pull_request_labels', key, name: `Labels of pull request ${iid}` },
    () => {
      work.landing.labels({ kind: 'MergeRequest', iid }, titles)
      return null
    },
  )
}
