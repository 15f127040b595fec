import { api } from '../../api/client.ts'
import { MERGED, OPEN } from '../content/history.ts'
import { WITH_ZONE, ZONE_LINE } from '../content/program.ts'
import type { Demo } from '../demo.ts'

const RULE = 'Harbour office'
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const byBranch = async (id: number, source_branch: string) =>
  (await api('GET /projects/:id/merge_requests', { id, state: 'all', source_branch, per_page: 1 }))[0]

/** One that was merged. */
export const makeMerged = async (demo: Demo) => {
  const { id } = demo.project
  const { branch, title, description } = MERGED
  const found =
    (await byBranch(id, branch)) ??
    (await demo.as('tomas', 'POST /projects/:id/merge_requests', {
      id,
      title,
      description,
      source_branch: branch,
      target_branch: 'main',
      labels: ['idea'],
      remove_source_branch: true,
    }))
  if (found.state === 'merged') return
  const of = { id, merge_request_iid: found.iid }
  // Whether it can be merged is found out behind the answer.
  for (let tries = 0; ; tries++)
    try {
      await api('PUT /projects/:id/merge_requests/:merge_request_iid/merge', {
        ...of,
        should_remove_source_branch: true,
      })
      return
    } catch (error) {
      if (tries >= 20) throw error
      await wait(250)
    }
}

/** One that waits, with a thread on a line of it. */
export const makeOpen = async (demo: Demo) => {
  const { id } = demo.project
  const { branch, title, description } = OPEN
  const found =
    (await byBranch(id, branch)) ??
    (await demo.as('ines', 'POST /projects/:id/merge_requests', {
      id,
      title,
      description,
      source_branch: branch,
      target_branch: 'main',
      labels: ['bug'],
      reviewer_ids: [demo.me],
    }))
  await askForApproval(demo, found.iid)
  await comments(demo, found.iid)
}

const askForApproval = async ({ project: { id }, me }: Demo, merge_request_iid: number) => {
  const of = { id, merge_request_iid }
  const rules = await api('GET /projects/:id/merge_requests/:merge_request_iid/approval_rules', of)
  if (rules.some(({ name }) => name === RULE)) return
  await api('POST /projects/:id/merge_requests/:merge_request_iid/approval_rules', {
    ...of,
    name: RULE,
    approvals_required: 1,
    user_ids: [me],
  })
}

const comments = async (demo: Demo, merge_request_iid: number) => {
  const of = { id: demo.project.id, merge_request_iid }
  const [question, answer] = OPEN.said
  const known = await api('GET /projects/:id/merge_requests/:merge_request_iid/discussions', {
    ...of,
    per_page: 100,
  })
  const thread =
    known.find((one) => one.notes?.[0]?.body === question!.body) ?? (await ask(demo, of, question!))
  if (!thread?.id || (thread.notes?.length ?? 0) > 1) return
  await demo.as(
    answer!.by,
    'POST /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes',
    {
      ...of,
      discussion_id: thread.id,
      body: answer!.body,
    },
  )
}

const ask = async (
  demo: Demo,
  of: { id: number; merge_request_iid: number },
  { by, body }: (typeof OPEN.said)[number],
) => {
  const [version] = await versionsOf(of)
  if (!version) return null
  const made = await demo.as(by, 'POST /projects/:id/merge_requests/:merge_request_iid/discussions', {
    ...of,
    body,
    position: {
      base_sha: version.base_commit_sha ?? version.start_commit_sha ?? '',
      start_sha: version.start_commit_sha ?? '',
      head_sha: version.head_commit_sha ?? '',
      position_type: 'text',
      old_path: 'bin/tidewatch',
      new_path: 'bin/tidewatch',
      new_line: WITH_ZONE.split('\n').indexOf(ZONE_LINE) + 1,
    },
  })
  return 'notes' in made ? made : null
}

/** The first version is made behind the answer. */
const versionsOf = async (of: { id: number; merge_request_iid: number }) => {
  for (let tries = 0; tries < 20; tries++) {
    const found = await api('GET /projects/:id/merge_requests/:merge_request_iid/versions', of)
    if (found.length > 0) return found
    await wait(250)
  }
  return []
}
