import { expect, it } from 'vitest'

import type { Fields } from '../../../../server/domains/import_export/relations/relation.ts'
import { world } from '../../../support/world.ts'
import { recordsOf, takeInto, type Tree } from './codec.ts'

const w = await world()
const { as, make, root } = w
const ada = make.user({ username: 'ada' })
const AT = '2024-01-02T03:04:05.678Z'
const people: Fields[] = [
  { access_level: 30, user_id: 700, user: { id: 700, public_email: null, username: 'ada' } },
]

async function taken(tree: Tree, importer = root) {
  const { id } = await make.project({ owner: importer })
  const result = await takeInto(w, id, { project_members: people, ...tree }, { importer })
  return {
    id,
    ...result,
    failed: result.failed.map(({ relation_name, exception_message }) => [relation_name, exception_message]),
  }
}
const read = async (id: number, path: string) =>
  (await as(root).get(`/projects/${id}${path && `/${path}`}`)).body
const note = (text: unknown, more: object = {}): Fields =>
  ({ note: text, author_id: 700, author: { name: 'Ada' }, created_at: AT, ...more }) as Fields

it('invalid records are reported and skipped, and the others are imported', async () => {
  const { id, failed } = await taken({
    labels: [
      { title: 'good', color: '#123456' },
      { title: '', color: '#123456' },
      { title: 5 as never, color: '#123456' },
      { title: 'x'.repeat(300), color: '#123456' },
      { title: 'odd', color: 'no color', priorities: [{ priority: -1 }, { priority: 2 }] },
      'no JSON',
      '[]',
    ],
    issues: [
      { iid: 1, title: 'Good', author_id: 700 },
      { iid: 1, title: 'The same number' },
      { iid: 0, title: 'No number' },
      { iid: 'x', title: 'No number either' },
      { iid: 2 },
      { iid: 3, title: 'Times', created_at: 'yesterday' },
      { iid: 4, title: 'Days', due_date: '2024-99-99' },
      { iid: 5, title: 'Large', weight: 1e20 },
      { iid: 6, title: 'Long', description: 'x'.repeat(1_048_577) },
      {
        iid: 7,
        title: 'Odd words',
        state: 'half open',
        issue_type: 'epic',
        severity: 7,
        health_status: 'ill',
      },
      { iid: 8, title: 'Nothing in it', notes: 'none', label_links: {}, timelogs: [null, 3] },
    ] as Fields[],
  })
  expect(failed).toEqual([
    ['labels', "title can't be blank"],
    ['labels', 'title is not a text'],
    ['labels', 'title is too long (maximum is 255 characters)'],
    ['priorities', 'priority is out of range'],
    ['labels', 'The record is not a JSON object'],
    ['labels', 'The record is not a JSON object'],
    ['issues', 'iid has already been taken'],
    ['issues', 'iid is out of range'],
    ['issues', 'iid is not a number'],
    ['issues', "title can't be blank"],
    ['issues', 'created_at is not a time'],
    ['issues', 'due_date is not a day'],
    ['issues', 'weight is out of range'],
    ['issues', 'description is too long (maximum is 1048576 characters)'],
  ])
  expect(
    (await read(id, 'labels')).map(({ name, priority }: { name: string; priority: unknown }) => [
      name,
      priority,
    ]),
  ).toEqual([
    ['good', null],
    ['odd', 2],
  ])
  const issues = await read(id, 'issues?sort=asc')
  expect(
    issues.map(({ iid, state, issue_type, severity }: Fields) => [iid, state, issue_type, severity]),
  ).toEqual([
    [1, 'opened', 'issue', 'UNKNOWN'],
    [7, 'opened', 'issue', 'UNKNOWN'],
    [8, 'opened', 'issue', 'UNKNOWN'],
  ])
})

it('an issue is imported without its invalid parts', async () => {
  const { id, failed } = await taken({
    issues: [
      {
        iid: 1,
        title: 'Parts',
        author_id: 700,
        created_at: AT,
        notes: [
          note('Good', {
            award_emoji: [
              { name: 'a b', user_id: 700 },
              { name: 'thumbsup', user_id: 700 },
            ],
          }),
          note(7),
          note('  '),
          note('Somewhere', { type: 'DiffNote', position: { base_sha: 'x', old_path: 'a' } }),
          note('Unknown kind', { type: 'LegacyDiffNote', discussion_id: 'a' }),
          note('Of a stranger', { author_id: 99, author: { name: 'Eve *x*' }, updated_at: AT }),
        ],
        award_emoji: [
          { name: 'thumbsup', user_id: 700 },
          { name: 'thumbsup', user_id: 700 },
          { name: '', user_id: 700 },
        ],
        timelogs: [{ time_spent: 60, user_id: 700 }, { time_spent: 0 }, { time_spent: 3600, user_id: 99 }],
        label_links: [{ label: { title: 'new', color: '#abcdef' } }, { label: null }, {}],
        resource_label_events: [{ action: 1, user_id: 700, label: { title: 'new' } }, { action: 9 }],
        resource_state_events: [{ state: 2, user_id: 700, created_at: AT }, { state: 'gone' }],
        resource_milestone_events: [{ action: 'add', state: 'opened', milestone: { title: 'M', iid: 4 } }],
        issue_links: [{ iid: 1, link_type: 'blocks' }, { iid: 77 }, { iid: null }],
        events: [{ action: 1, author_id: 700, created_at: AT }, { action: 'danced' }],
      },
    ] as Fields[],
  })
  expect(failed).toEqual([
    ['label_links', "label can't be blank"],
    ['label_links', "label can't be blank"],
    ['timelogs', "time_spent can't be blank"],
    ['award_emoji', 'name is not a valid emoji name'],
    ['notes', 'note is not a text'],
    ['notes', 'position is invalid'],
    ['resource_label_events', 'action is not included in the list'],
    ['resource_state_events', 'state is not included in the list'],
    ['award_emoji', "name can't be blank"],
    ['events', 'action is not included in the list'],
    ['issue_links', "iid can't be blank"],
  ])
  const issue = await read(id, 'issues/1')
  expect(issue).toMatchObject({
    author: { username: 'ada' },
    labels: ['new'],
    upvotes: 1,
    user_notes_count: 4,
    time_stats: { total_time_spent: 3660 },
  })
  const notes = await read(id, 'issues/1/notes?sort=asc')
  expect(notes.map(({ body }: { body: string }) => body)).toEqual([
    'Good',
    '*Blank note*',
    'Unknown kind',
    `Of a stranger\n\n*By Eve  x  on ${AT} (imported from GitLab)*`,
  ])
  expect(await read(id, 'issues/1/resource_state_events')).toMatchObject([{ state: 'closed' }])
})

it('a copy has its own threads', async () => {
  const from = await make.project()
  const at = `/projects/${from.id}/issues`
  await as(root).post(at, { title: 'Discussed' })
  const thread = (await as(root).post(`${at}/1/discussions`, { body: 'Well?' })).body
  await as(root).post(`${at}/1/discussions/${thread.id}/notes`, { body: 'Well' })
  const { id } = await taken({ issues: await recordsOf(w, from.id, 'issues') })
  const [copy] = await read(id, 'issues/1/discussions')
  expect(copy.notes.map(({ body }: { body: string }) => body.split('\n')[0])).toEqual(['Well?', 'Well'])
  expect(copy.id).not.toBe(thread.id)
  await as(root).put(`/projects/${id}/issues/1/discussions/${copy.id}`, { resolved: true })
  const [old] = await read(from.id, 'issues/1/discussions')
  expect(old.notes[0].resolved).toBe(false)
})

it('labels and milestones of groups are reused if they exist, and otherwise created in the project', async () => {
  const group = await make.group()
  await as(root).post(`/groups/${group.id}/labels`, { name: 'shared', color: '#111111' })
  await as(root).post(`/groups/${group.id}/milestones`, { title: 'Spring' })
  const record = {
    iid: 1,
    title: 'Planned',
    milestone: { title: 'Spring', group_id: 5, iid: 1 },
    label_links: [
      { label: { title: 'shared', color: '#222222', type: 'GroupLabel', priorities: [{ priority: 1 }] } },
    ],
  } as Fields
  const inside = await make.project({ namespace_id: group.id })
  await takeInto(w, inside.id, { issues: [record] })
  expect(await read(inside.id, 'labels')).toMatchObject([
    { name: 'shared', color: '#111111', is_project_label: false, priority: 1 },
  ])
  expect((await read(inside.id, 'issues/1')).milestone).toMatchObject({ title: 'Spring', group_id: group.id })
  const { id } = await taken({ issues: [record] })
  expect(await read(id, 'labels')).toMatchObject([
    { name: 'shared', color: '#222222', is_project_label: true },
  ])
  expect((await read(id, 'issues/1')).milestone).toMatchObject({ title: 'Spring', project_id: id })
})

it('only known settings with valid values are imported', async () => {
  const { id, failed } = await taken({
    project: [
      {
        merge_requests_ff_only_enabled: true,
        squash_option: 'sometimes',
        build_timeout: 3600,
        public_builds: false,
        archived: 'yes',
        ci_config_path: '../../etc/passwd',
        runners_token: 'stolen',
        namespace_id: 1,
        disk_path: '/etc',
        something: { else: true },
      } as Fields,
    ],
    project_feature: [
      { issues_access_level: 30, wiki_access_level: 0, builds_access_level: 99, pages_access_level: 30 },
    ],
    ci_cd_settings: [{ group_runners_enabled: false, default_git_depth: 3 }],
    auto_devops: [{ enabled: true, deploy_strategy: 'by hand' }],
    container_expiration_policy: [
      { cadence: '1month', keep_n: 5, enabled: true, older_than: '7d', name_regex: null },
    ],
    boards: [
      {
        name: 'Kanban',
        lists: [
          { list_type: 1, position: 0, label: { title: 'x' } },
          { list_type: 0 },
          { list_type: 'label', position: 1 },
        ],
      },
    ],
    commit_notes: [note('On nothing'), note('Well done', { commit_id: 'a'.repeat(40) })],
    custom_attributes: [{ key: 'team', value: 'red' }],
  })
  expect(failed).toEqual([
    ['lists', "label can't be blank"],
    ['commit_notes', "commit_id can't be blank"],
  ])
  const project = await read(id, '')
  expect(project).toMatchObject({
    merge_method: 'ff',
    squash_option: 'default_off',
    public_jobs: false,
    archived: false,
    issues_access_level: 'enabled',
    wiki_access_level: 'disabled',
    builds_access_level: 'enabled',
    pages_access_level: 'public',
    group_runners_enabled: false,
    ci_default_git_depth: 3,
    auto_devops_enabled: true,
    container_expiration_policy: { cadence: '1month', keep_n: 5 },
  })
  expect(project.runners_token).not.toBe('stolen')
  expect(project.ci_config_path ?? '').not.toContain('passwd')
  expect(await read(id, 'custom_attributes')).toEqual([{ key: 'team', value: 'red' }])
  const [board] = await read(id, 'boards')
  expect(board.lists).toMatchObject([{ label: { name: 'x' }, position: 0 }])
})

it('custom attributes are imported by administrators only', async () => {
  const { id } = await taken({ custom_attributes: [{ key: 'team', value: 'red' }] }, ada)
  expect(await read(id, 'custom_attributes')).toEqual([])
})
