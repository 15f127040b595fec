import { beforeAll, describe, expect, it } from 'vitest'

import { addressOf, git } from '../../git-http/remote.ts'
import { gitWith, hasSsh, keyFile } from '../../git-ssh/client.ts'
import { addCommits, emptyRepo, shell } from '../../support/git.ts'
import type { Repo } from '../../../server/git/types.ts'
import { world, type Answer } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const here = await world({ sshPort: 0 })
const ann = here.make.user({ username: 'ann' })
here.make.user({ username: 'ben' })
const as = here.as(ann)
const http = addressOf(here)
const key = hasSsh ? keyFile() : undefined

/** How a commit on top of the first one differs from an accepted commit. */
interface Sample {
  readonly branch?: string
  readonly message?: string
  readonly author?: string
  readonly committer?: string
  readonly name?: string
  readonly file?: string
  readonly bytes?: number
  readonly signed?: boolean
}

interface Row {
  readonly rule: object
  readonly refused: Sample
  readonly accepted: Sample
  /** The error in the terminal, after the prefix `GitLab: `. */
  readonly sentence: string
  /** The error of the API for the same content; null if the rule does not apply there. */
  readonly api?: string | null
  /** The merge that the rule refuses: its target, parameters and rule. Without it, the rule does not apply to merges. */
  readonly merge?: { readonly into?: string; readonly with?: object; readonly rule?: object; says?: string }
  /** The parameters of the accepted merge. */
  readonly choice?: object
}

const MB = 1024 * 1024
const message = 'merge_commit_message'
const OWN = 'ann@example.test'
const OTHER = 'ben@example.test'
const NOBODY = 'nobody@example.org'

const TABLE: Record<string, Row> = {
  branch_name_regex: {
    rule: { branch_name_regex: '^(feature|release)/' },
    refused: { branch: 'odd' },
    accepted: { branch: 'feature/one' },
    sentence: "Branch name 'odd' does not follow the pattern '^(feature|release)/'",
    merge: { into: 'loose', says: "Branch name 'loose' does not follow the pattern '^(feature|release)/'" },
  },
  commit_message_regex: {
    rule: { commit_message_regex: '^Fixes \\d+$' },
    refused: { message: 'Mend\n\nIt Fixes 12 lines' },
    accepted: { message: 'Mend\n\nFixes 12\nmore' },
    sentence: "Commit message does not follow the pattern '^Fixes \\d+$'",
    merge: { with: { [message]: 'Merge' } },
    choice: { [message]: 'Merge\n\nFixes 7' },
  },
  commit_message_negative_regex: {
    rule: { commit_message_negative_regex: 'ssh://' },
    refused: { message: 'See\nssh://there' },
    accepted: { message: 'See there' },
    sentence: "Commit message contains the forbidden pattern 'ssh://'",
    merge: { with: { [message]: 'Merge ssh://x' } },
  },
  'author_email_regex, of the author': {
    rule: { author_email_regex: '@example\\.test$' },
    refused: { author: NOBODY },
    accepted: {},
    sentence: `Author's email '${NOBODY}' does not follow the pattern '@example\\.test$'`,
    merge: {
      rule: { author_email_regex: '@example\\.org$' },
      says: `Committer's email '${OWN}' does not follow the pattern '@example\\.org$'`,
    },
  },
  'author_email_regex, of the committer': {
    rule: { author_email_regex: '@example\\.test$' },
    refused: { committer: NOBODY, author: NOBODY },
    accepted: {},
    sentence: `Committer's email '${NOBODY}' does not follow the pattern '@example\\.test$'`,
    // The caller is the committer of commits through the API.
    api: `Author's email '${NOBODY}' does not follow the pattern '@example\\.test$'`,
  },
  commit_committer_check: {
    rule: { commit_committer_check: true },
    refused: { committer: OTHER },
    accepted: { author: NOBODY },
    sentence: `You cannot push commits for '${OTHER}'. You can only push commits if the committer email is one of your own verified emails.`,
    api: null,
  },
  commit_committer_name_check: {
    rule: { commit_committer_name_check: true },
    refused: { name: 'Annie' },
    accepted: {},
    sentence: 'Your git username is inconsistent with GitLab account name',
    api: null,
  },
  reject_non_dco_commits: {
    rule: { reject_non_dco_commits: true },
    refused: { message: 'Mend' },
    accepted: { message: 'Mend\n\nSigned-off-by: Ann <ann@example.test>' },
    sentence: 'Commit message must contain a DCO signoff',
    api: null,
  },
  reject_unsigned_commits: {
    rule: { reject_unsigned_commits: true },
    refused: {},
    accepted: { signed: true },
    sentence: 'Commit must be signed with a GPG key',
    api: null,
  },
  'member_check, of the author': {
    rule: { member_check: true },
    refused: { author: NOBODY },
    accepted: { author: OTHER },
    sentence: `Author '${NOBODY}' is not a member of team`,
  },
  'member_check, of the committer': {
    rule: { member_check: true },
    refused: { committer: NOBODY },
    accepted: { committer: OTHER },
    sentence: `Committer '${NOBODY}' is not a member of team`,
    api: null,
  },
  max_file_size: {
    rule: { max_file_size: 1 },
    refused: { file: 'big.bin', bytes: MB + 1 },
    accepted: { file: 'fits.bin', bytes: MB },
    sentence: 'File "big.bin" is larger than the allowed size of 1 MB',
  },
  prevent_secrets: {
    rule: { prevent_secrets: true },
    refused: { file: 'config/id_rsa' },
    accepted: { file: 'config/id_rsa.pub' },
    sentence: 'File name config/id_rsa was prohibited by the pattern "id_rsa$".',
  },
  file_name_regex: {
    rule: { file_name_regex: '(jar|exe)$' },
    refused: { file: 'lib/tool.jar' },
    accepted: { file: 'lib/jar.txt' },
    sentence: 'File name lib/tool.jar was prohibited by the pattern "(jar|exe)$".',
  },
}

let repo: Repo
let first: string
/** Commit IDs by rule. */
const commits = new Map<string, { refused: string; accepted: string }>()

beforeAll(async () => {
  repo = await emptyRepo()
  const samples = Object.entries(TABLE).flatMap(([name, { refused, accepted }]) => [
    { name, kind: 'refused' as const, sample: refused },
    { name, kind: 'accepted' as const, sample: accepted },
  ])
  const ids = addCommits(repo, [
    { files: { 'a.txt': 'a\n' } },
    ...samples.map(({ sample: { file = 'b.txt', bytes = 3 } }, index) => ({
      branch: `t${index}`,
      from: ':1',
      files: { [file]: Buffer.alloc(bytes, 'b') },
    })),
  ])
  first = ids[0]!
  for (const [index, { name, kind, sample }] of samples.entries()) {
    const tree = shell(repo, ['rev-parse', `${ids[index + 1]}^{tree}`])
    const id = shell(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], rawCommit(tree, sample))
    commits.set(name, { ...commits.get(name)!, [kind]: id })
  }
  if (key) await as.post('/user/keys', { title: 'Laptop', key: key.line })
})

function rawCommit(tree: string, sample: Sample): string {
  const { author = OWN, committer = OWN, name = 'ANN', message: text = 'Mend', signed } = sample
  const lines = [
    `tree ${tree}`,
    `parent ${first}`,
    `author Someone <${author}> 1704067300 +0000`,
    `committer ${name} <${committer}> 1704067300 +0000`,
    ...(signed ? ['gpgsig -----BEGIN SSH SIGNATURE-----', ' AAAA', ' -----END SSH SIGNATURE-----'] : []),
  ]
  return `${lines.join('\n')}\n\n${text}\n`
}

async function project(rule: object) {
  const made = await here.make.project({ owner: ann })
  fill(here, made, [
    { files: { 'a.txt': 'a\n' } },
    { branch: 'loose', from: ':1' },
    { branch: 'pier', from: ':1', files: { 'w.txt': 'w' } },
  ])
  const { status, body } = await as.post(`/projects/${made.id}/push_rule`, rule)
  expect([status, body]).toEqual([201, expect.objectContaining(rule)])
  return made
}

const push = (url: string, id: string, ref: string) => git(repo.gitDir, 'push', '-q', url, `${id}:${ref}`)

function commit(at: string, sample: Sample): Promise<Answer> {
  const { branch = 'topic-api', message: text = 'Mend', author = OWN, file = 'b.txt', bytes = 3 } = sample
  return as.post(`${at}/repository/commits`, {
    branch,
    start_branch: 'main',
    commit_message: text,
    author_email: author,
    actions: [{ action: 'create', file_path: file, content: 'b'.repeat(bytes) }],
  })
}

describe('pushes and commits of the API', () => {
  it.concurrent.each(Object.entries(TABLE))('%s', async (name, row) => {
    const made = await project(row.rule)
    const at = `/projects/${made.id}`
    const ids = commits.get(name)!
    const url = http(made, ann)

    const bad = await push(url, ids.refused, `refs/heads/${row.refused.branch ?? 'topic'}`)
    expect(bad.code).toBe(1)
    expect(bad.stderr.replace(/ +$/gm, '')).toContain(`remote: GitLab: ${row.sentence}\n`)
    expect(bad.stderr).toContain('pre-receive hook declined')
    const good = await push(url, ids.accepted, `refs/heads/${row.accepted.branch ?? 'topic'}`)
    expect(good).toMatchObject({ code: 0, stderr: '' })

    const message = row.api === undefined ? row.sentence : row.api
    const refused = await commit(at, row.refused)
    expect([refused.status, message === null ? null : refused.body]).toEqual(
      message === null ? [201, null] : [400, { message: message }],
    )
    const other = row.accepted.branch ? `${row.accepted.branch}-api` : 'topic-api-2'
    expect((await commit(at, { ...row.accepted, branch: other })).status).toBe(201)
  })
})

describe('merges', () => {
  const minded = Object.entries(TABLE).filter(([, row]) => row.merge)
  const ignored = Object.values(TABLE).filter((row) => !row.merge)

  it.concurrent.each(minded)('are refused for their own commits: %s', async (_, row) => {
    const at = `/projects/${(await project(row.rule)).id}`
    const { into = 'main', says = row.sentence } = row.merge!
    const requests = await Promise.all([...new Set([into, 'main'])].map((branch) => open(at, branch)))
    await here.drain()
    expect(await refusedMerge(at, requests[0]!, row)).toEqual([
      422,
      { message: 'Branch cannot be merged' },
      `Something went wrong during merge pre-receive hook. ${says}`,
    ])
    expect(await merge(requests.at(-1)!, row.choice)).toEqual([200, 'merged', null])
  })

  it('are not refused by the rules that apply only to pushes', async () => {
    // The pattern for addresses applies to merges, too.
    const rules = ignored.map(({ rule }) => rule).filter((rule) => !('author_email_regex' in rule))
    const at = `/projects/${(await project(Object.assign({}, ...rules))).id}`
    const request = await open(at, 'main')
    await here.drain()
    expect(await merge(request)).toEqual([200, 'merged', null])
  })
})

async function merge(request: string, choice: object = {}): Promise<unknown[]> {
  const { status, body } = await as.put(`${request}/merge`, choice)
  return [status, body.state, body.merge_error]
}

/** Tries a merge that the rule refuses. Returns the status, the body and the stored error of the merge request. */
async function refusedMerge(at: string, request: string, { rule: before, merge }: Row): Promise<unknown[]> {
  const { rule, with: choice = {} } = merge!
  if (rule) await as.put(`${at}/push_rule`, rule)
  const { status, body } = await as.put(`${request}/merge`, choice)
  if (rule) await as.put(`${at}/push_rule`, before)
  return [status, body, (await as.get(request)).body.merge_error]
}

async function open(at: string, target_branch: string): Promise<string> {
  const { body } = await as.post(`${at}/merge_requests`, {
    title: 'Work',
    source_branch: 'pier',
    target_branch,
  })
  return `${at}/merge_requests/${body.iid}`
}

describe('other ways to push', () => {
  it('deny_delete_tag refuses to delete tags by push, but not in the window', async () => {
    const made = await project({ deny_delete_tag: true })
    const url = http(made, ann)
    expect((await push(url, first, 'refs/tags/v1')).code).toBe(0)
    const { stderr } = await push(url, '', 'refs/tags/v1')
    expect(stderr).toContain('remote: GitLab: You cannot delete a tag')
    expect((await as.delete(`/projects/${made.id}/repository/tags/v1`)).status).toBe(204)
  })

  it.runIf(hasSsh)('SSH applies the same rules', async () => {
    const made = await project(TABLE['commit_message_regex']!.rule)
    const { refused, accepted } = commits.get('commit_message_regex')!
    const over = (id: string) =>
      gitWith(key, repo.gitDir, 'push', '-q', made.ssh_url_to_repo, `${id}:refs/heads/x`)
    const bad = await over(refused)
    expect(bad.stderr).toContain(`remote: GitLab: ${TABLE['commit_message_regex']!.sentence}`)
    expect(await over(accepted)).toMatchObject({ code: 0 })
  })

  it('commits of tags and notes are checked, and the default branch and deletions may have any name', async () => {
    const made = await project({ commit_message_negative_regex: 'ssh://', branch_name_regex: '^feature/' })
    const url = http(made, ann)
    const { refused, accepted } = commits.get('commit_message_negative_regex')!
    for (const ref of ['refs/tags/v1', 'refs/notes/commits', 'refs/heads/main']) {
      expect((await push(url, refused, ref)).stderr).toContain('contains the forbidden pattern')
      expect((await push(url, accepted, ref)).code).toBe(0)
    }
    expect((await push(url, '', 'refs/heads/loose')).code).toBe(0)
    // Commits that the repository already has are not checked.
    expect((await push(url, accepted, 'refs/heads/feature/again')).code).toBe(0)
  })

  it('files, branches, cherry-picks and reverts of the API follow the same rules', async () => {
    const made = await project({
      commit_message_regex: '^Ok',
      branch_name_regex: '^feature/',
      file_name_regex: 'no$',
    })
    const at = `/projects/${made.id}/repository`
    const file = { branch: 'main', content: 'x', commit_message: 'Bad' }
    const says = (text: string) => [400, { message: text }]
    const outcome = ({ status, body }: Answer) => [status, body]
    const message = "Commit message does not follow the pattern '^Ok'"
    expect(outcome(await as.post(`${at}/files/one`, file))).toEqual(says(message))
    const path = 'File name no was prohibited by the pattern "no$".'
    expect(outcome(await as.post(`${at}/files/no`, { ...file, commit_message: 'Ok' }))).toEqual(says(path))
    expect((await as.post(`${at}/files/one`, { ...file, commit_message: 'Ok' })).status).toBe(201)
    const name = "Branch name 'x' does not follow the pattern '^feature/'"
    expect(outcome(await as.post(`${at}/branches`, { branch: 'x', ref: 'main' }))).toEqual(says(name))
    expect((await as.post(`${at}/branches`, { branch: 'feature/x', ref: 'main' })).status).toBe(201)
    const picked = { branch: 'feature/x' }
    expect(outcome(await as.post(`${at}/commits/pier/cherry_pick`, picked))).toEqual(says(message))
    expect(outcome(await as.post(`${at}/commits/main/revert`, picked))).toEqual(says(message))
    const fine = { ...picked, message: 'Ok, picked' }
    expect((await as.post(`${at}/commits/pier/cherry_pick`, fine)).status).toBe(201)
  })

  it('commits of a fork are checked on every way into the project', async () => {
    const made = await project({ file_name_regex: 'no$', max_file_size: 1 })
    const at = `/projects/${made.id}`
    const fork = (await as.post(`${at}/fork`, { path: `fork-${made.id}`, name: `fork-${made.id}` })).body
    await here.drain()
    const bytes = MB + 1
    for (const sample of [{ file: 'no' }, { file: 'large', bytes }]) {
      const branch = `of-${sample.file}`
      const { id } = (await commit(`/projects/${fork.id}`, { ...sample, branch })).body
      const params = {
        source_branch: branch,
        target_branch: 'main',
        target_project_id: made.id,
        title: branch,
      }
      const { iid } = (await as.post(`/projects/${fork.id}/merge_requests`, params)).body
      await here.drain()
      const ref = `refs/merge-requests/${iid}/head`
      expect(await merge(`${at}/merge_requests/${iid}`)).toEqual([422, undefined, undefined])
      const branches = await as.post(`${at}/repository/branches`, { branch, ref: id })
      expect([branches.status, branches.body.message]).toEqual([400, expect.stringMatching(/^File /)])
      const url = http(made, ann)
      await git(repo.gitDir, 'fetch', '-q', url, ref)
      expect((await push(url, 'FETCH_HEAD', `refs/heads/${branch}`)).stderr).toContain(
        'remote: GitLab: File ',
      )
    }
  })

  it('a forbidden text is found in all parts of a long text', async () => {
    const made = await project({ commit_message_negative_regex: '(?i)(foo|bar){1,50}' })
    const at = `/projects/${made.id}`
    const text = 'y '.repeat(2000)
    const long = await commit(at, { message: `Mend\n${text}foo` })
    expect(long.body.message).toContain('contains the forbidden pattern')
    expect((await commit(at, { message: `Mend\n${text}` })).status).toBe(201)
    // A commit with too much text for the check is refused at once.
    expect((await commit(at, { message: text.repeat(200), branch: 'other' })).status).toBe(400)
  })

  it('an invalid stored pattern refuses with its error', async () => {
    const made = await project({ branch_name_regex: 'x' })
    here.ctx().db.exec("UPDATE push_rules SET branch_name_regex = '(?=x)' WHERE project_id = ?", made.id)
    const { stderr } = await push(http(made, ann), first, 'refs/heads/y')
    expect(stderr).toMatch(/remote: GitLab: Regular expression '\(\?=x\)' is invalid: /)
  })
})
