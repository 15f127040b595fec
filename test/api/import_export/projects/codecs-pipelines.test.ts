import { expect, it } from 'vitest'

import type { Fields } from '../../../../server/domains/import_export/relations/relation.ts'
import { bundleNameOf } from '../../../../server/domains/import_export/relations/snippets.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'
import { recordsOf, takeInto } from './codec.ts'

const w = await world()
const { as, make, root } = w
const source = await make.project()
const config = [
  'stages: [build, test]',
  'variables: {COLOR: blue}',
  'compile: {stage: build, script: [make, make install], image: "debian:12", tags: [linux]}',
  'unit: {stage: test, script: [test], needs: [compile]}',
  'later: {stage: test, script: [deploy], when: manual, environment: production}',
].join('\n')
const [sha] = fill(w, source, [{ files: { '.gitlab-ci.yml': config } }])
const made = await as(root).post(`/projects/${source.id}/pipeline`, { ref: 'main' })
await as(root).post(`/projects/${source.id}/statuses/${sha}`, {
  state: 'success',
  name: 'outside',
  target_url: 'https://ci.example.test/1',
  coverage: 81.5,
})
const jobsOf = async (id: number, pipeline?: number) =>
  (await as(root).get(`/projects/${id}/${pipeline ? `pipelines/${pipeline}/` : ''}jobs?per_page=100`)).body

const same = (records: readonly Fields[]): unknown =>
  JSON.parse(JSON.stringify(records), (name, value: unknown) => (name === 'project_id' ? 0 : value))

it('pipelines are imported with stages and jobs, and unfinished ones are canceled', async () => {
  const records = await recordsOf(w, source.id, 'ci_pipelines')
  expect(records[0]).toMatchObject({ iid: 1, sha, ref: 'main', source: 'api', status: 'running' })
  const stages = records[0]!['stages'] as Fields[]
  expect(stages.slice(0, 2).map(({ name, position }) => [name, position])).toEqual([
    ['build', 1],
    ['test', 2],
  ])
  expect((stages[0]!['statuses'] as Fields[])[0]).toMatchObject({
    type: 'Ci::Build',
    name: 'compile',
    status: 'pending',
    options: { script: ['make', 'make install'], image: { name: 'debian:12' } },
    yaml_variables: [expect.objectContaining({ key: 'COLOR', value: 'blue' })],
    tag_list: ['linux'],
    scheduling_type: 'stage',
  })
  expect(JSON.stringify(records)).not.toMatch(/token|runner_id/)

  const { id } = await make.project()
  const taken = await takeInto(w, id, { ci_pipelines: records })
  expect(taken.failed).toEqual([])
  const again = await recordsOf(w, id, 'ci_pipelines')
  expect(again.map(({ iid, status }) => [iid, status])).toEqual(
    records.map(({ iid, status }) => [iid, status === 'success' ? 'success' : 'canceled']),
  )
  // Finished pipelines are unchanged, so a second import changes nothing more.
  const third = await make.project()
  await takeInto(w, third.id, { ci_pipelines: again })
  expect(same(await recordsOf(w, third.id, 'ci_pipelines'))).toEqual(same(again))

  const jobs = await jobsOf(id)
  expect(new Set(jobs.map((job: { status: string }) => job.status))).toEqual(new Set(['canceled']))
  const outside = (again.at(-1)!['stages'] as Fields[]).flatMap((stage) => stage['statuses'] as Fields[])
  expect(outside.find(({ name }) => name === 'outside')).toMatchObject({
    type: 'GenericCommitStatus',
    status: 'success',
    coverage: 81.5,
    target_url: 'https://ci.example.test/1',
  })
  // The next IID follows those of the archive.
  fill(w, { id }, [{ files: { '.gitlab-ci.yml': config } }])
  const next = await as(root).post(`/projects/${id}/pipeline`, { ref: 'main' })
  expect([next.status, next.body.iid]).toEqual([201, records.length + 1])
  expect(made.body.iid).toBe(1)
})

it('imported jobs can be retried', async () => {
  const { id } = await make.project()
  fill(w, { id }, [{ files: { a: 'a' } }])
  const record = {
    iid: 7,
    ref: 'main',
    sha: 'a'.repeat(40),
    status: 'failed',
    stages: [
      {
        name: 'test',
        position: 0,
        statuses: [
          { type: 'Ci::Build', name: 'unit', status: 'failed', options: { script: ['test', 7, null] } },
        ],
      },
    ],
  }
  await takeInto(w, id, { ci_pipelines: [record] })
  const [job] = await jobsOf(id)
  const retried = await as(root).post(`/projects/${id}/jobs/${job.id}/retry`)
  expect([retried.status, retried.body.status, retried.body.name]).toEqual([201, 'pending', 'unit'])
})

it('other forms of archives are read, and invalid records are reported', async () => {
  const { id } = await make.project()
  const pipeline = { ref: 'main', sha: 'b'.repeat(40), status: 'running', tag: false }
  const job = { name: 'a', status: 'success', stage_idx: 0 }
  const taken = await takeInto(w, id, {
    ci_pipelines: [
      { ...pipeline, statuses: [job, { ...job, name: 'b', status: 'pending' }] },
      {
        ...pipeline,
        stages: [
          {
            name: 'test',
            position: 1,
            builds: [{ ...job, coverage: '55.5' }],
            bridges: [{ ...job, name: 'child' }],
            generic_commit_statuses: [{ ...job, name: 'outside', target_url: 'javascript:alert(1)' }],
          },
        ],
      },
      { ...pipeline, sha: 'no' },
      { ...pipeline, status: 'exploded' },
      { ...pipeline, ref: null },
      {
        ...pipeline,
        stages: [{ name: 'x', statuses: [{ status: 'success' }, { name: 'c', status: '?' }, job] }],
      },
    ],
  })
  expect(
    taken.failed.map(({ line_number, relation_name, exception_message }) => [
      line_number,
      relation_name,
      exception_message,
    ]),
  ).toEqual([
    [3, 'ci_pipelines', "sha can't be blank"],
    [4, 'ci_pipelines', 'status is not included in the list'],
    [5, 'ci_pipelines', "ref can't be blank"],
    [6, 'statuses', "name can't be blank"],
    [6, 'statuses', 'status is not included in the list'],
  ])
  const records = await recordsOf(w, id, 'ci_pipelines')
  expect(records.map(({ iid, status }) => [iid, status])).toEqual([
    [1, 'canceled'],
    [2, 'canceled'],
    [expect.any(Number), 'canceled'],
  ])
  const [stage] = records[1]!['stages'] as Fields[]
  const kinds = (stage!['statuses'] as Fields[]).map(({ name, type, coverage, target_url }) => [
    name,
    type,
    coverage,
    target_url,
  ])
  expect(kinds).toEqual([
    ['a', 'Ci::Build', 55.5, null],
    ['child', 'Ci::Bridge', null, null],
    ['outside', 'GenericCommitStatus', null, null],
  ])
})

it('pipelines are imported with their merge request', async () => {
  const { id } = await make.project()
  const request = {
    iid: 3,
    title: 'Change',
    state: 'closed',
    source_branch: 'a',
    target_branch: 'main',
    source_project_id: 1,
    target_project_id: 1,
    author_id: 1,
  }
  const pipeline = { sha: 'c'.repeat(40), status: 'success', source: 'merge_request_event' }
  await takeInto(w, id, {
    merge_requests: [request],
    ci_pipelines: [
      { ...pipeline, ref: 'refs/merge-requests/3/head' },
      { ...pipeline, ref: 'a', merge_request: { iid: 3 } },
    ],
  })
  const records = await recordsOf(w, id, 'ci_pipelines')
  expect(records.map((record) => record['merge_request'])).toEqual([
    { iid: 3, title: 'Change' },
    { iid: 3, title: 'Change' },
  ])
  expect((await as(root).get(`/projects/${id}/merge_requests/3/pipelines`)).body).toHaveLength(2)
})

it('snippets are imported with their notes and emoji, and name their bundles', async () => {
  const { body: snippet } = await as(root).post(`/projects/${source.id}/snippets`, {
    title: 'Trick',
    description: 'How to',
    visibility: 'internal',
    files: [{ file_path: 'a.rb', content: 'puts 1' }],
  })
  await as(root).post(`/projects/${source.id}/snippets/${snippet.id}/notes`, { body: 'Nice' })
  await as(root).post(`/projects/${source.id}/snippets/${snippet.id}/award_emoji`, { name: 'star' })
  const [record] = await recordsOf(w, source.id, 'snippets')
  expect(record).toMatchObject({
    title: 'Trick',
    description: 'How to',
    file_name: 'a.rb',
    visibility_level: 10,
    notes: [expect.objectContaining({ note: 'Nice' })],
    award_emoji: [expect.objectContaining({ name: 'star' })],
  })
  expect(bundleNameOf(record!)).toMatch(/^[0-9a-f]{64}$/)
  const { id } = await make.project()
  const taken = await takeInto(w, id, {
    snippets: [record!, { title: '' }, { title: 'x', visibility_level: 5 }],
  })
  expect(taken.failed.map(({ exception_message }) => exception_message)).toEqual([
    "title can't be blank",
    'visibility_level is not included in the list',
  ])
  const rows = w
    .ctx()
    .db.many<{ id: number; title: string; visibility: string; repository_state: string; disk_path: string }>(
      'SELECT * FROM snippets WHERE project_id = ?',
      id,
    )
  // The next step fills the snippet from its bundle. Until then it is hidden.
  expect(rows).toEqual([
    expect.objectContaining({
      title: 'Trick',
      visibility: 'internal',
      repository_state: 'pending',
      disk_path: `@snippets/projects/${id}/${rows[0]!.id}.git`,
    }),
  ])
})
