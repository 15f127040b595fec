import type { Commits } from './demo-repository.ts'
import type { StubHost } from './stub-host.ts'

const user = (id: number, login: string) => ({ id, login, type: 'User' })
/** A user who is found by an address, an unknown user, and the owner of the repository. */
export const ALICE = user(11, 'alice-there')
export const STRANGER = user(12, 'stranger')
export const OWNER = user(13, 'octo')

/** The time of an event, by its hour. */
export const at = (hour: number): string => `2024-03-01T${String(hour).padStart(2, '0')}:00:00Z`
export const shown = (hour: number): string => at(hour).replace('Z', '.000Z')

export const ASSET = '5f0c1a52-7a3f-4a57-9f21-0a51b8a1c001'

/** The responses about `octo/demo` with empty lists. */
export function plainResponses(host: StubHost, commits: Commits): void {
  demoResponses(host, commits)
  for (const [name, response] of Object.entries(host.responses))
    if (Array.isArray(response) && name.startsWith('/repos/')) host.responses[name] = []
}

/** All responses of `octo/demo` except pull requests, which take longest. */
export function withoutPulls(host: StubHost, commits: Commits): void {
  demoResponses(host, commits)
  host.responses['/repos/octo/demo/pulls'] = []
}

/** Adds all responses about `octo/demo` to the stub. */
export function demoResponses(host: StubHost, commits: Commits): void {
  const { responses } = host
  const repo = {
    id: 4711,
    name: 'demo',
    full_name: 'octo/demo',
    private: false,
    description: 'A *demo* of another host',
    has_wiki: true,
    default_branch: 'main',
    size: 12,
    language: 'Text',
    updated_at: at(20),
    owner: OWNER,
    html_url: `${host.url}/octo/demo`,
    clone_url: `${host.url}/octo/demo.git`,
  }
  const at_ = '/repos/octo/demo'
  responses['/repositories/4711'] = repo
  responses[at_] = repo
  responses['/user'] = OWNER
  responses['/user/orgs'] = []
  responses['/user/repos'] = [
    repo,
    { ...repo, id: 4712, name: 'other', full_name: 'octo/other' },
    { ...repo, id: 4713, full_name: 'octo/third' },
  ]
  responses['/users/alice-there'] = { ...ALICE, email: 'alice@example.test' }
  responses['/users/stranger'] = { ...STRANGER, email: null }
  responses['/users/octo'] = { ...OWNER, email: 'somebody@else.test' }
  responses[`${at_}/labels`] = [
    { id: 1, name: 'bug', color: 'd73a4a', description: 'Something is broken' },
    { id: 2, name: 'odd color', color: 'fff' },
    { id: 3, name: 'no color', color: 'red-ish' },
    { id: 4, name: 'a, b', color: '00FF00' },
  ]
  responses[`${at_}/milestones`] = [
    {
      id: 1,
      number: 1,
      title: 'First',
      description: 'Begin',
      state: 'closed',
      due_on: '2024-05-01T07:00:00Z',
      created_at: at(1),
      updated_at: at(2),
    },
    {
      id: 2,
      number: 4,
      title: 'Second',
      description: null,
      state: 'open',
      due_on: null,
      created_at: at(1),
      updated_at: at(2),
    },
    { id: 3, number: 5, title: 'Broken', state: 'open', created_at: 'yesterday' },
  ]
  responses[`${at_}/releases`] = [
    {
      id: 1,
      tag_name: 'v1.0',
      name: 'One',
      body: `See ${host.url}/user-attachments/assets/${ASSET}`,
      draft: false,
      created_at: at(3),
      published_at: at(4),
      author: ALICE,
      assets: [
        {
          id: 1,
          name: 'demo.zip',
          browser_download_url: `${host.url}/octo/demo/releases/download/v1.0/demo.zip`,
        },
      ],
    },
    {
      id: 2,
      tag_name: 'v0.9',
      name: null,
      body: '',
      draft: false,
      created_at: at(1),
      published_at: at(1),
      author: null,
      assets: [],
    },
    {
      id: 3,
      tag_name: 'v2.0',
      name: 'Draft',
      body: '',
      draft: true,
      created_at: at(5),
      published_at: null,
      author: ALICE,
      assets: [],
    },
  ]
  pullRequests(host, commits, repo)
  issues(host)
  comments(host, commits)
  singleLists(host)
  responses[`${at_}/branches`] = [
    { name: 'main', protected: true },
    { name: 'feature', protected: true },
  ]
  responses[`${at_}/branches/main/protection`] = {
    required_pull_request_reviews: { required_approving_review_count: 1 },
    required_conversation_resolution: { enabled: true },
    required_signatures: { enabled: true },
    allow_force_pushes: { enabled: false },
  }
  responses[`${at_}/branches/feature/protection`] = { allow_force_pushes: { enabled: true } }
  host.files.set(`/user-attachments/assets/${ASSET}`, { content: 'a picture' })
  host.files.set('/octo/demo/files/77/notes.txt', { content: 'attached notes' })
}

function pullRequests({ responses }: StubHost, commits: Commits, repo: { id: number }): void {
  const common = {
    user: ALICE,
    assignees: [],
    labels: [],
    milestone: null,
    locked: false,
    draft: false,
    merged_at: null,
    merge_commit_sha: null,
    closed_at: null,
  }
  const base = { ref: 'main', sha: commits.first, repo }
  const own = (ref: string, sha: string) => ({ ref, sha, repo, user: OWNER })
  responses['/repos/octo/demo/pulls'] = [
    {
      ...common,
      number: 1,
      title: 'Feature',
      body: 'Adds the feature.',
      state: 'open',
      draft: true,
      assignees: [ALICE, STRANGER],
      milestone: { number: 4 },
      labels: [{ name: 'bug' }],
      head: own('feature', commits.feature),
      base,
      created_at: at(5),
      updated_at: at(9),
    },
    {
      ...common,
      number: 2,
      title: 'From a fork',
      body: 'Closes #5',
      user: STRANGER,
      state: 'open',
      head: {
        ref: 'patch-1',
        sha: commits.fork,
        repo: { id: 99, full_name: 'stranger/demo' },
        user: STRANGER,
      },
      base,
      created_at: at(6),
      updated_at: at(6),
    },
    {
      ...common,
      number: 3,
      title: 'Merged',
      body: 'Was merged',
      state: 'closed',
      merged_at: at(8),
      merge_commit_sha: commits.merge,
      closed_at: at(8),
      head: own('merged-branch', commits.mergedHead),
      base,
      created_at: at(7),
      updated_at: at(8),
    },
    {
      ...common,
      number: 4,
      title: 'Of a fork that is gone',
      body: 'text',
      user: null,
      state: 'closed',
      closed_at: at(9),
      head: { ref: 'patch-1', sha: commits.gone, repo: null, user: null },
      base,
      created_at: at(8),
      updated_at: at(9),
    },
  ]
  responses['/repos/octo/demo/pulls/3'] = { number: 3, merged_at: at(8), merged_by: STRANGER }
  for (const number of [1, 2, 3, 4]) {
    responses[`/repos/octo/demo/pulls/${number}/requested_reviewers`] = {
      users: number === 1 ? [ALICE, STRANGER] : [],
      teams: [],
    }
    responses[`/repos/octo/demo/pulls/${number}/reviews`] = []
    responses[`/repos/octo/demo/pulls/${number}/comments`] = []
    responses[`/repos/octo/demo/issues/${number}/timeline`] = []
  }
  responses['/repos/octo/demo/pulls/1/reviews'] = [
    { id: 31, user: ALICE, body: 'Looks good', state: 'APPROVED', submitted_at: at(10) },
    { id: 32, user: STRANGER, body: 'Please change', state: 'CHANGES_REQUESTED', submitted_at: at(11) },
    { id: 33, user: ALICE, body: '', state: 'COMMENTED', submitted_at: at(11) },
    { id: 34, user: ALICE, body: 'not yet', state: 'PENDING', submitted_at: null },
  ]
}

function issues({ responses, url }: StubHost): void {
  const common = { assignees: [], labels: [], milestone: null, locked: false, closed_at: null }
  responses['/repos/octo/demo/issues'] = [
    {
      ...common,
      number: 1,
      title: 'Feature',
      pull_request: { url: 'x' },
      labels: [{ name: 'bug' }, { name: 'odd color' }],
      user: ALICE,
      state: 'open',
      created_at: at(5),
    },
    {
      ...common,
      number: 5,
      title: 'An issue',
      body: `It is broken: ![picture](${url}/user-attachments/assets/${ASSET})`,
      user: STRANGER,
      state: 'open',
      labels: [{ name: 'bug' }, { name: 'made on the way' }],
      assignees: [ALICE],
      milestone: { number: 1 },
      created_at: at(9),
      updated_at: at(12),
    },
    {
      ...common,
      number: 6,
      title: 'x'.repeat(300),
      body: null,
      user: null,
      state: 'closed',
      created_at: at(10),
      updated_at: at(11),
      closed_at: at(11),
    },
  ]
  responses['/repos/octo/demo/issues/5/timeline'] = [
    { id: 51, event: 'labeled', actor: ALICE, label: { name: 'bug' }, created_at: at(10) },
    { id: 52, event: 'milestoned', actor: ALICE, milestone: { title: 'First' }, created_at: at(10) },
    { id: 53, event: 'assigned', actor: STRANGER, assignee: ALICE, created_at: at(10) },
    {
      id: 54,
      event: 'renamed',
      actor: ALICE,
      rename: { from: 'A bug', to: 'An issue' },
      created_at: at(11),
    },
    {
      event: 'cross-referenced',
      actor: ALICE,
      source: { issue: { number: 1, pull_request: {}, repository: { full_name: 'octo/demo' } } },
      created_at: at(11),
    },
    { id: 55, event: 'subscribed', actor: ALICE, created_at: at(11) },
  ]
  responses['/repos/octo/demo/issues/6/timeline'] = [
    { id: 61, event: 'closed', actor: ALICE, commit_id: null, created_at: at(11) },
  ]
  responses['/repos/octo/demo/issues/3/timeline'] = [
    { id: 71, event: 'merged', actor: STRANGER, commit_id: 'a'.repeat(40), created_at: at(8) },
    { id: 72, event: 'closed', actor: STRANGER, commit_id: null, created_at: at(8) },
    { id: 73, event: 'labeled', actor: ALICE, label: { name: 'gone by now' }, created_at: at(8) },
  ]
  const page = (kind: 'issues' | 'pull', number: number) => ({
    issue_url: `${url}/api/v3/repos/octo/demo/issues/${number}`,
    html_url: `${url}/octo/demo/${kind}/${number}#issuecomment-1`,
  })
  responses['/repos/octo/demo/issues/comments'] = [
    {
      id: 501,
      ...page('issues', 5),
      user: ALICE,
      body: `With [notes](${url}/octo/demo/files/77/notes.txt)`,
      created_at: at(12),
      updated_at: at(13),
    },
    {
      id: 502,
      ...page('pull', 1),
      user: null,
      body: 'From somebody who left',
      created_at: at(13),
      updated_at: at(13),
    },
    { id: 503, ...page('issues', 5), user: STRANGER, body: 'Me too', created_at: at(14), updated_at: at(14) },
    {
      id: 504,
      ...page('issues', 404),
      user: ALICE,
      body: 'Under nothing',
      created_at: at(14),
      updated_at: at(14),
    },
  ]
}

function comments({ responses, url }: StubHost, commits: Commits): void {
  const common = {
    pull_request_url: `${url}/api/v3/repos/octo/demo/pulls/1`,
    path: 'app.txt',
    commit_id: commits.feature,
    original_commit_id: commits.feature,
    side: 'RIGHT',
    start_line: null,
    start_side: null,
    original_start_line: null,
    subject_type: 'line',
    user: ALICE,
    created_at: at(15),
    updated_at: at(15),
    diff_hunk: '@@ -3,4 +3,5 @@\n line 5\n+inserted',
  }
  responses['/repos/octo/demo/pulls/comments'] = [
    { ...common, id: 201, line: 6, original_line: 6, body: 'Why inserted?' },
    {
      ...common,
      id: 202,
      in_reply_to_id: 201,
      line: 6,
      original_line: 6,
      user: STRANGER,
      body: 'Because',
      created_at: at(16),
    },
    { ...common, id: 203, line: 10, original_line: 10, side: 'LEFT', body: 'Why removed?' },
    {
      ...common,
      id: 204,
      start_line: 5,
      line: 6,
      original_line: 6,
      original_start_line: 5,
      start_side: 'RIGHT',
      body: 'Better:\n```suggestion\nfive\nsix\n```',
    },
    {
      ...common,
      id: 205,
      line: null,
      original_line: 15,
      commit_id: commits.feature,
      original_commit_id: commits.early,
      body: 'Outdated',
    },
    {
      ...common,
      id: 206,
      line: null,
      original_line: 3,
      original_commit_id: 'd'.repeat(40),
      body: 'Of a commit that is gone',
    },
    { ...common, id: 207, line: null, original_line: null, subject_type: 'file', body: 'Of the whole file' },
    { ...common, id: 208, line: 4, original_line: 4, body: 'Unchanged line' },
  ]
}

/** The same comments, as separate lists for each issue and pull request. */
function singleLists({ responses }: StubHost): void {
  type Comment = { issue_url: string }
  const all = responses['/repos/octo/demo/issues/comments'] as Comment[]
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const own = all.filter((comment) => comment.issue_url.endsWith(`/${number}`))
    responses[`/repos/octo/demo/issues/${number}/comments`] = own
  }
  responses['/repos/octo/demo/pulls/1/comments'] = responses['/repos/octo/demo/pulls/comments']
}
