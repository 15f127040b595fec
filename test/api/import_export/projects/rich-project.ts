import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { adoptObject } from '../../../../server/domains/storage/index.ts'
import { openMergeRequest, pushTo } from '../../../support/merge-requests.ts'
import type { Answer, TestUser, World } from '../../../support/world.ts'

/** The users of the project. */
export interface Team {
  readonly owner: TestUser
  readonly maintainer: TestUser
  readonly developer: TestUser
}

/** A project with at least one record of every relation in an archive. */
export interface Rich {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly project: any
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly group: any
  readonly team: Team
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Creates the project with the API, as users would. */
export async function richProject(w: World): Promise<Rich> {
  const owner = w.root
  const maintainer = w.make.user({ username: 'mary' })
  const developer = w.make.user({ username: 'dave' })
  const team = { owner, maintainer, developer }
  const group = await w.make.group({ path: 'rich-group' })
  const project = await w.make.project({
    path: 'rich',
    namespace_id: group.id,
    description: 'A project with **everything**',
    initialize_with_readme: true,
  })
  await w.make.member('projects', project.id, owner, 40).catch(() => undefined)
  await w.make.member('projects', project.id, maintainer, 40)
  await w.make.member('projects', project.id, developer, 30)
  await w.drain()
  await settings(w, project)
  const plan = await planning(w, { project, group, team })
  await issues(w, { project, group, team }, plan)
  await code(w, { project, group, team })
  await around(w, { project, group, team })
  await w.drain()
  return { project, group, team }
}

async function good(answer: Promise<Answer>) {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`The rich project could not be made: ${status} ${text}`)
  return body
}

const form = (name: string, file: string, bytes: Buffer): FormData => {
  const made = new FormData()
  made.append(name, new Blob([new Uint8Array(bytes)]), file)
  return made
}

async function settings(w: World, { id }: { id: number }): Promise<void> {
  const root = w.as(w.root)
  await good(
    root.put(`/projects/${id}`, {
      merge_method: 'rebase_merge',
      squash_option: 'default_on',
      build_timeout: 1200,
      only_allow_merge_if_all_discussions_are_resolved: false,
      issues_template: 'Say what happened.',
      merge_commit_template: '%{title}',
      ci_config_path: 'ci/main.yml',
      build_git_strategy: 'clone',
      auto_cancel_pending_pipelines: 'disabled',
      wiki_access_level: 'private',
      pages_access_level: 'public',
      ci_default_git_depth: 7,
      auto_devops_enabled: false,
      container_expiration_policy_attributes: { cadence: '7d', enabled: true, keep_n: 5, older_than: '30d' },
      emails_disabled: true,
    }),
  )
  await good(root.put(`/projects/${id}`, form('avatar', 'face.png', PNG)))
  await good(root.put(`/projects/${id}/custom_attributes/team`, { value: 'red' }))
  await good(root.post(`/projects/${id}/push_rule`, { commit_message_regex: '.+', max_file_size: 10 }))
}

async function planning(w: World, { project, group }: Rich) {
  const at = `/projects/${project.id}`
  const root = w.as(w.root)
  const bug = await good(
    root.post(`${at}/labels`, { name: 'bug', color: '#ff0000', description: 'Does *not* work', priority: 3 }),
  )
  await good(root.post(`${at}/labels`, { name: 'later', color: '#00ff00' }))
  await good(
    root.post(`/groups/${group.id}/labels`, { name: 'shared', color: '#0000ff', description: 'Of all' }),
  )
  const first = await good(
    root.post(`${at}/milestones`, {
      title: '1.0',
      description: 'The first',
      start_date: '2026-01-01',
      due_date: '2026-02-01',
    }),
  )
  const done = await good(root.post(`${at}/milestones`, { title: '0.9' }))
  await good(root.put(`${at}/milestones/${done.id}`, { state_event: 'close' }))
  const shared = await good(root.post(`/groups/${group.id}/milestones`, { title: 'Spring' }))
  const board = await good(root.post(`${at}/boards`, { name: 'Work' }))
  await good(root.post(`${at}/boards/${board.id}/lists`, { label_id: bug.id }))
  await good(
    root.put(`${at}/boards/${board.id}`, { hide_backlog_list: true, labels: 'bug', milestone_id: first.id }),
  )
  return { first, shared }
}

async function issues(
  w: World,
  { project, team }: Rich,
  plan: { first: { id: number }; shared: { id: number } },
): Promise<void> {
  const at = `/projects/${project.id}/issues`
  const mary = w.as(team.maintainer)
  const dave = w.as(team.developer)
  await good(
    mary.post(at, {
      title: 'It does not start',
      description: 'See `main.c`, and ![picture](/uploads/x)',
      labels: 'bug,shared',
      milestone_id: plan.first.id,
      assignee_ids: [team.developer.id],
      due_date: '2026-01-20',
      weight: 3,
    }),
  )
  await good(dave.post(at, { title: 'Secret', confidential: true, milestone_id: plan.shared.id }))
  await good(mary.post(at, { title: 'On fire', issue_type: 'incident' }))
  await good(dave.post(at, { title: 'It does not start either' }))
  await good(dave.post(`${at}/1/notes`, { body: 'I see it too' }))
  const thread = await good(mary.post(`${at}/1/discussions`, { body: 'Since when?' }))
  await good(dave.post(`${at}/1/discussions/${thread.id}/notes`, { body: 'Since **yesterday**' }))
  const second = await good(dave.post(`${at}/1/discussions`, { body: 'Is it fixed?' }))
  await good(mary.put(`${at}/1/discussions/${second.id}`, { resolved: true }))
  await good(mary.post(`${at}/1/notes`, { body: 'Not for everybody', internal: true }))
  await good(mary.put(`${at}/1/notes/${thread.notes[0].id}`, { body: 'Since when exactly?' }))
  await good(dave.post(`${at}/1/award_emoji`, { name: 'thumbsup' }))
  await good(dave.post(`${at}/1/notes/${thread.notes[0].id}/award_emoji`, { name: 'eyes' }))
  await good(mary.post(`${at}/1/time_estimate`, { duration: '3h' }))
  await good(dave.post(`${at}/1/add_spent_time`, { duration: '1h30m', summary: 'Looked for it' }))
  await good(
    mary.post(`${at}/1/links`, { target_project_id: project.id, target_issue_iid: 3, link_type: 'blocks' }),
  )
  await good(mary.post(`${at}/4/links`, { target_project_id: project.id, target_issue_iid: 1 }))
  await good(dave.post(`${at}/4/notes`, { body: `/duplicate #1` }))
  await good(mary.put(`${at}/3`, { state_event: 'close', labels: 'later' }))
  await good(mary.put(`${at}/3`, { remove_labels: 'later', milestone_id: plan.first.id }))
  await good(mary.put(`${at}/3`, { milestone_id: 0, discussion_locked: true }))
}

async function code(w: World, { project, team }: Rich): Promise<void> {
  const at = `/projects/${project.id}`
  const mary = w.as(team.maintainer)
  const dave = w.as(team.developer)
  await pushTo(w, project, 'main', {
    'src/main.txt': 'one\ntwo\nthree\n',
    'ci/main.yml': 'job:\n  script: [make]\n',
  })
  const files = { 'src/main.txt': 'one\nTWO\nthree\nfour\n', 'src/new.txt': 'new\n' }
  const open = await openMergeRequest(w, project, {
    author: team.developer,
    source_branch: 'feature/open',
    title: 'Draft: Louder',
    description: 'Closes #1',
    files,
    reviewer_ids: [team.maintainer.id],
    assignee_ids: [team.developer.id],
    labels: 'bug,shared',
  })
  const request = `${at}/merge_requests/${open.iid}`
  const { base_sha, start_sha, head_sha } = open.diff_refs
  const position = {
    base_sha,
    start_sha,
    head_sha,
    position_type: 'text',
    old_path: 'src/main.txt',
    new_path: 'src/main.txt',
    new_line: 2,
  }
  const thread = await good(
    mary.post(`${request}/discussions`, { body: 'Less loud?\n\n```suggestion\nTwo\n```', position }),
  )
  await good(dave.post(`${request}/discussions/${thread.id}/notes`, { body: 'No' }))
  await good(mary.post(`${request}/notes`, { body: 'A nice change' }))
  await good(mary.post(`${request}/approve`))
  await good(mary.post(`${request}/award_emoji`, { name: 'rocket' }))
  await good(dave.post(`${request}/add_spent_time`, { duration: '20m' }))
  await pushTo(w, project, 'feature/open', { 'src/new.txt': 'newer\n' }, { author: team.developer })
  const merged = await openMergeRequest(w, project, {
    author: team.developer,
    source_branch: 'feature/merged',
  })
  await good(mary.put(`${at}/merge_requests/${merged.iid}/merge`, { squash: false }))
  const closed = await openMergeRequest(w, project, {
    author: team.maintainer,
    source_branch: 'feature/closed',
  })
  await good(mary.put(`${at}/merge_requests/${closed.iid}`, { state_event: 'close' }))
  const head = (await good(mary.get(`${at}/repository/branches/main`))).commit.id
  await good(mary.post(`${at}/repository/commits/${head}/comments`, { note: 'Well done' }))
  await good(dave.post(`${at}/repository/commits/${head}/discussions`, { body: 'Really?' }))
  await good(mary.post(`${at}/repository/tags`, { tag_name: 'v1.0', ref: 'main', message: 'First' }))
  await good(
    mary.post(`${at}/releases`, {
      tag_name: 'v1.0',
      name: 'One',
      description: 'The **first**',
      milestones: ['1.0'],
      assets: { links: [{ name: 'Book', url: 'https://example.test/book', direct_asset_path: '/book' }] },
    }),
  )
  await good(
    mary.post(`${at}/statuses/${head}`, {
      state: 'success',
      name: 'outside',
      ref: 'main',
      coverage: 93.5,
      description: 'Fine',
    }),
  )
  await good(
    mary.post(`${at}/protected_branches`, {
      name: 'feature/*',
      push_access_level: 40,
      allow_force_push: true,
    }),
  )
  await good(mary.post(`${at}/protected_tags`, { name: 'v*', create_access_level: 40 }))
  await good(
    mary.post(`${at}/pipeline_schedules`, {
      description: 'Nightly',
      ref: 'main',
      cron: '0 1 * * *',
      active: false,
    }),
  )
  await good(
    mary.post(`${at}/approval_rules`, {
      name: 'Two eyes',
      approvals_required: 1,
      user_ids: [team.maintainer.id],
    }),
  )
}

async function around(w: World, { project, team }: Rich): Promise<void> {
  const at = `/projects/${project.id}`
  const mary = w.as(team.maintainer)
  const { markdown } = await good(
    mary.post(`${at}/uploads`, form('file', 'notes.txt', Buffer.from('kept\n'))),
  )
  await good(mary.post(`${at}/issues/1/notes`, { body: `See ${markdown}` }))
  await good(mary.post(`${at}/wikis`, { title: 'Home', content: '# Welcome' }))
  const snippet = await good(
    mary.post(`${at}/snippets`, {
      title: 'A trick',
      description: 'Works every time',
      visibility: 'private',
      files: [
        { file_path: 'trick.sh', content: 'echo trick\n' },
        { file_path: 'more.txt', content: 'more\n' },
      ],
    }),
  )
  await good(mary.post(`${at}/snippets/${snippet.id}/notes`, { body: 'It does' }))
  const large = Buffer.from('A large file')
  const path = join(w.dataDir, 'large')
  writeFileSync(path, large)
  await adoptObject(w.ctx(), project.id, createHash('sha256').update(large).digest('hex'), path, [0])
}
