import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { openMergeRequest } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { COMMIT_KEYS, keys, listen, PROJECT_KEYS, recorded, USER_KEYS, type Recorded } from './recorded.ts'

const here = await world({ clock: frozenClock('2026-11-22T08:00:00.000Z') })
const root = here.as(here.root)
const project = await here.make.project()
const at = `/projects/${project.id}`
const page = `${here.url}/root/${project.path}`
const NOW = '2026-11-22 08:00:00 UTC'
const [first, second] = fill(here, project, [
  { files: { 'a.txt': 'one\ntwo\nthree\n' } },
  { files: { 'a.txt': 'one\nzwei\nthree\nfour\n' } },
])

const TOP = ['object_kind', 'event_type', 'user', 'project_id', 'project', 'repository', 'object_attributes']
const ATTRIBUTES = [
  'id',
  'note',
  'description',
  'noteable_type',
  'noteable_id',
  'author_id',
  'created_at',
  'updated_at',
  'project_id',
  'attachment',
  'line_code',
  'commit_id',
  'system',
  'st_diff',
  'discussion_id',
  'type',
  'position',
  'original_position',
  'change_position',
  'resolved_at',
  'resolved_by_id',
  'resolved_by_push',
  'updated_by_id',
  'url',
]
const SNIPPET = [
  'id',
  'title',
  'content',
  'author_id',
  'project_id',
  'created_at',
  'updated_at',
  'file_name',
  'expires_at',
  'type',
  'visibility_level',
]

const post = (path: string, params: object) => async () => {
  const { status, text } = await root.post(at + path, params)
  expect([status, text]).toEqual([201, expect.any(String)])
}
const notes = async (act: () => unknown): Promise<Recorded[]> =>
  (await recorded(here, null, act)).filter((event) => event.kind.endsWith('note'))
const issue = (await root.post(`${at}/issues`, { title: 'An issue', labels: 'bug' })).body

it('events store no jobs without a listener', async () => {
  here.jobs()
  expect(await notes(post(`/issues/${issue.iid}/notes`, { body: 'Quiet' }))).toEqual([])
  expect(here.jobs().filter((name) => name.startsWith('event:webhooks'))).toEqual([])
  listen(here, { project_id: project.id })
})

describe('a note of an issue', () => {
  it('has an event with the issue', async () => {
    const body = 'Hello ![a](/uploads/0123456789abcdef0123456789abcdef/a.png)'
    const [event, ...more] = await notes(post(`/issues/${issue.iid}/notes`, { body }))
    expect(more).toEqual([])
    const { payload } = event!
    expect(event).toMatchObject({ kind: 'note', project_id: project.id, actor_id: 1 })
    expect(keys(payload)).toEqual([...TOP, 'issue'].sort())
    expect(keys(payload.object_attributes)).toEqual([...ATTRIBUTES].sort())
    expect([keys(payload.user), keys(payload.project)]).toEqual([USER_KEYS, PROJECT_KEYS])
    const text = `Hello ![a](${page}/uploads/0123456789abcdef0123456789abcdef/a.png)`
    const id = payload.object_attributes.id
    expect(payload.object_attributes).toMatchObject({
      note: text,
      description: text,
      noteable_type: 'Issue',
      noteable_id: issue.id,
      author_id: 1,
      created_at: NOW,
      updated_at: NOW,
      project_id: project.id,
      attachment: null,
      line_code: null,
      commit_id: null,
      system: false,
      st_diff: null,
      discussion_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      type: null,
      position: null,
      change_position: null,
      resolved_at: null,
      resolved_by_push: false,
      url: `${page}/-/issues/${issue.iid}#note_${id}`,
    })
    expect(payload.issue).toMatchObject({
      id: issue.id,
      iid: issue.iid,
      state: 'opened',
      labels: [{ title: 'bug' }],
    })
    expect(payload.issue).not.toHaveProperty('action')
  })

  it('shows the public email address of its author', async () => {
    here.ctx().db.exec("UPDATE users SET public_email = 'root@example.test' WHERE id = 1")
    const [event] = await notes(post(`/issues/${issue.iid}/notes`, { body: 'Me' }))
    expect(event!.payload.user.email).toBe('root@example.test')
  })

  it('that is internal or confidential has another kind of event', async () => {
    const secret = (await root.post(`${at}/issues`, { title: 'Secret', confidential: true })).body
    const found = [
      ...(await notes(post(`/issues/${issue.iid}/notes`, { body: 'Inside', internal: true }))),
      ...(await notes(post(`/issues/${secret.iid}/notes`, { body: 'Hush' }))),
    ]
    expect(
      found.map((event) => [event.kind, event.payload.event_type, event.payload.object_attributes.note]),
    ).toEqual([
      ['confidential_note', 'confidential_note', 'Inside'],
      ['confidential_note', 'confidential_note', 'Hush'],
    ])
  })

  it('has no event if it is a system note or was updated', async () => {
    const path = `/issues/${issue.iid}`
    expect(await notes(() => root.put(at + path, { title: 'Renamed', state_event: 'close' }))).toEqual([])
    const { id } = (await root.post(`${at}${path}/notes`, { body: 'Before' })).body
    expect(await notes(() => root.put(`${at}${path}/notes/${id}`, { body: 'After' }))).toEqual([])
  })

  it('with quick actions causes one event of the issue', async () => {
    const events = await recorded(
      here,
      null,
      post(`/issues/${issue.iid}/notes`, { body: 'So\n/reopen\n/unlabel ~bug' }),
    )
    expect(events.map((event) => event.kind).sort()).toEqual(['issue', 'note'])
    const [{ payload }] = events.filter((event) => event.kind === 'issue') as [Recorded]
    expect(payload.object_attributes.action).toBe('reopen')
    expect(keys(payload.changes)).toEqual(expect.arrayContaining(['labels', 'state_id']))
  })
})

describe('a note of a commit', () => {
  it('has an event with the commit and the line', async () => {
    const comment = { note: 'Why?', path: 'a.txt', line: 4, line_type: 'new' }
    const [event] = await notes(post(`/repository/commits/${second}/comments`, comment))
    const { payload } = event!
    expect(keys(payload)).toEqual([...TOP, 'commit'].sort())
    expect(keys(payload.object_attributes)).toEqual([...ATTRIBUTES].sort())
    expect(keys(payload.commit)).toEqual(COMMIT_KEYS)
    expect(payload.commit.id).toBe(second)
    expect(payload.object_attributes).toMatchObject({
      note: 'Why?',
      noteable_type: 'Commit',
      noteable_id: null,
      commit_id: second,
      line_code: expect.stringMatching(/^[0-9a-f]{40}_4_4$/),
      st_diff: {
        diff: '@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n three\n+four\n',
        new_path: 'a.txt',
        old_path: 'a.txt',
        a_mode: '100644',
        b_mode: '100644',
        new_file: false,
        renamed_file: false,
        deleted_file: false,
      },
      url: `${page}/-/commit/${second}#note_${payload.object_attributes.id}`,
    })
    const [plain] = await notes(post(`/repository/commits/${first}/comments`, { note: 'Plain' }))
    expect(plain!.payload.object_attributes).toMatchObject({ line_code: null, st_diff: null })
  })
})

describe('a note of a merge request', () => {
  it('has an event with the merge request and its position in the diff', async () => {
    const request = await openMergeRequest(here, project, {
      source_branch: 'topic',
      files: { 'a.txt': 'one\nzwei\ndrei\nfour\n' },
    })
    const { base_sha, start_sha, head_sha } = request.diff_refs
    const lines = {
      base_sha,
      start_sha,
      head_sha,
      position_type: 'text',
      new_path: 'a.txt',
      old_path: 'a.txt',
    }
    const position = { ...lines, new_line: 3 }
    const [event] = await notes(
      post(`/merge_requests/${request.iid}/discussions`, { body: 'Here', position }),
    )
    const { payload } = event!
    expect(keys(payload)).toEqual([...TOP, 'merge_request'].sort())
    expect(keys(payload.object_attributes)).toEqual([...ATTRIBUTES].sort())
    expect(payload.merge_request).toMatchObject({
      id: request.id,
      iid: request.iid,
      source: { id: project.id },
      target: { id: project.id },
      last_commit: { id: request.sha },
      assignee_ids: [],
    })
    expect(payload.object_attributes).toMatchObject({
      noteable_type: 'MergeRequest',
      noteable_id: request.id,
      type: 'DiffNote',
      position: { ...position, old_line: null },
      original_position: position,
      line_code: expect.stringMatching(/^[0-9a-f]{40}_4_3$/),
      st_diff: { new_path: 'a.txt', diff: expect.stringContaining('+drei') },
      url: `${page}/-/merge_requests/${request.iid}#note_${payload.object_attributes.id}`,
    })
    // Notes that are published together have one event each.
    for (const note of ['One', 'Two'])
      await root.post(`${at}/merge_requests/${request.iid}/draft_notes`, { note })
    const published = await notes(() =>
      root.post(`${at}/merge_requests/${request.iid}/draft_notes/bulk_publish`),
    )
    expect(published.map((event) => event.payload.object_attributes.note)).toEqual(['One', 'Two'])
  })
})

describe('a note of a snippet', () => {
  it('has an event with the snippet', async () => {
    const params = { title: 'Some code', file_name: 'x.rb', content: 'puts 1\n', visibility: 'internal' }
    const { id } = (await root.post(`${at}/snippets`, params)).body
    const [event] = await notes(post(`/snippets/${id}/notes`, { body: 'Nice' }))
    const { payload } = event!
    expect(keys(payload)).toEqual([...TOP, 'snippet'].sort())
    expect(keys(payload.snippet)).toEqual([...SNIPPET].sort())
    expect(payload.snippet).toMatchObject({
      id,
      title: 'Some code',
      content: 'puts 1\n',
      project_id: project.id,
      created_at: NOW,
      file_name: 'x.rb',
      expires_at: null,
      type: 'ProjectSnippet',
      visibility_level: 10,
    })
    expect(payload.object_attributes).toMatchObject({
      noteable_type: 'Snippet',
      noteable_id: id,
      url: `${page}/-/snippets/${id}#note_${payload.object_attributes.id}`,
    })
  })
})

describe('an emoji', () => {
  it('has an event when it is awarded and when it is revoked', async () => {
    const path = `${at}/issues/${issue.iid}/award_emoji`
    const [awarded, ...more] = await recorded(here, 'emoji', () => root.post(path, { name: 'thumbsup' }))
    expect(more).toEqual([])
    const { id } = awarded!.payload.object_attributes
    expect(awarded!.payload).toMatchObject({
      object_kind: 'emoji',
      event_type: 'award',
      user: { id: 1 },
      project_id: project.id,
      project: { id: project.id },
      object_attributes: {
        id: expect.any(Number),
        user_id: 1,
        created_at: NOW,
        updated_at: NOW,
        name: 'thumbsup',
        awardable_type: 'Issue',
        awardable_id: issue.id,
        action: 'award',
        awarded_on_url: `${page}/-/issues/${issue.iid}`,
      },
      issue: { id: issue.id },
    })
    const [taken] = await recorded(here, 'emoji', () => root.delete(`${path}/${id}`))
    const revoked = { ...awarded!.payload.object_attributes, action: 'revoke' }
    expect(taken!.payload).toMatchObject({ event_type: 'revoke', object_attributes: revoked })
  })

  it('of a note shows the note; of confidential subjects has no event', async () => {
    const path = `${at}/issues/${issue.iid}/notes`
    const { id } = (await root.post(path, { body: 'Open' })).body
    const [awarded] = await recorded(here, 'emoji', () =>
      root.post(`${path}/${id}/award_emoji`, { name: 'tada' }),
    )
    expect(awarded!.payload).toMatchObject({
      note: { id, note: 'Open' },
      issue: { id: issue.id },
      object_attributes: {
        awardable_type: 'Note',
        awardable_id: id,
        awarded_on_url: expect.stringMatching(`#note_${id}$`),
      },
    })
    const inside = (await root.post(path, { body: 'Inside', internal: true })).body
    const secret = () => root.post(`${path}/${inside.id}/award_emoji`, { name: 'tada' })
    expect(await recorded(here, 'emoji', secret)).toEqual([])
  })
})
