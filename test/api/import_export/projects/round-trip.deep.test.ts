import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world, type World } from '../../../support/world.ts'
import { importForm } from './archive-of.ts'
import { richProject, type Rich } from './rich-project.ts'
import { exported, unpacked, type Unpacked } from './unpacked.ts'

let w: World
let rich: Rich
let before: Unpacked
let after: Unpacked
// oxlint-disable-next-line typescript/no-explicit-any
let copy: any

beforeAll(async () => {
  w = await world()
  await w.as(w.root).put('/application/settings', { project_download_export_limit: 0 })
  rich = await richProject(w)
  const archive = await exported(w, w.root, rich.project.id)
  before = await unpacked(archive)
  const form = importForm(archive, { path: 'copy', name: 'Copy', namespace: rich.group.full_path })
  const begun = await w.as(w.root).post('/projects/import', form)
  await w.drain()
  copy = (await w.as(w.root).get(`/projects/${begun.body.id}/import`)).body
  after = await unpacked(await exported(w, w.root, copy.id))
}, 120_000)
afterAll(() => {
  before.remove()
  after.remove()
})

type Value = unknown

/**
 * Fields that an import changes on purpose (spec administration 6.5), or that refer to records of one project. All other
 * fields must be unchanged.
 */
const NORMALISED: Readonly<Record<string, (value: Value) => Value>> = {
  // The copy has another ID.
  project_id: (id) => (id === rich.project.id || id === copy.id ? 'project' : id),
  source_project_id: (id) => (id === rich.project.id || id === copy.id ? 'project' : id),
  target_project_id: (id) => (id === rich.project.id || id === copy.id ? 'project' : id),
  source_id: (id) => (id === rich.project.id || id === copy.id ? 'project' : id),
  // Threads have new IDs, because the old ones are in use here. Their order is unchanged.
  discussion_id: () => 'thread',
}

/** Fields that an import sets to new values in some relations, with the reason. */
const SET_ANEW: Readonly<Record<string, readonly string[]>> = {
  // The import creates the memberships in the name of the importing user.
  project_members: ['created_at', 'updated_at', 'created_by_id'],
  // Imported schedules are inactive, and belong to the importing user.
  pipeline_schedules: ['active', 'owner_id', 'next_run_at', 'updated_at'],
  // These settings were created with the copy.
  project_feature: ['created_at', 'updated_at'],
  auto_devops: ['created_at', 'updated_at'],
  container_expiration_policy: ['created_at', 'updated_at'],
  custom_attributes: ['created_at', 'updated_at'],
  // Mergeability is checked again.
  merge_requests: ['merge_status'],
}

function normal(value: Value, dropped: readonly string[]): Value {
  if (Array.isArray(value)) return value.map((item) => normal(item, dropped))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name]) => !dropped.includes(name))
    .map(([name, value]) => [name, NORMALISED[name] ? NORMALISED[name](value) : normal(value, dropped)])
  return Object.fromEntries(entries) as Value
}

const records = (archive: Unpacked, relation: string): Value[] =>
  archive
    .records(relation)
    .map((record) => normal(relation === 'ci_pipelines' ? ended(record) : record, SET_ANEW[relation] ?? []))

/** An import cancels unfinished pipelines and jobs. */
function ended(value: Value): Value {
  const text = JSON.stringify(value)
  return JSON.parse(text.replaceAll(/"status":"(created|pending|running|manual)"/g, '"status":"canceled"'))
}

const relations = (archive: Unpacked): string[] =>
  archive.names.flatMap((name) => /^tree\/project\/(.+)\.ndjson$/.exec(name)?.[1] ?? [])

const refsOf = (archive: Unpacked, bundle: string): string =>
  execFileSync('git', ['bundle', 'list-heads', join(archive.folder, bundle)], { encoding: 'utf8' })

describe('a project that is exported, imported under another name and exported again', () => {
  it('is imported without a failure', () => {
    expect(copy).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
  })

  it('has the same files', () => {
    const names = ({ names: all }: Unpacked): string[] =>
      all.map((name) => name.replace(/^snippets\/.*/, 'snippets/…'))
    expect(names(after)).toEqual(names(before))
    expect(names(before)).toEqual(
      expect.arrayContaining(['project.bundle', 'project.wiki.bundle', 'snippets/…', 'avatar/face.png']),
    )
    const files = before.names.filter((name) => /^(uploads|avatar|lfs-objects)/.test(name))
    const bytes = (archive: Unpacked, name: string): string =>
      readFileSync(join(archive.folder, name)).toString('base64')
    for (const name of files) expect([name, bytes(after, name)]).toEqual([name, bytes(before, name)])
    expect(files.length).toBeGreaterThan(3)
  })

  it('has the same attributes', () => {
    expect(after.json('tree/project.json')).toEqual(before.json('tree/project.json'))
  })

  it('has the same relations, each with a record', () => {
    expect(relations(after)).toEqual(relations(before))
    const empty = relations(before).filter((name) => before.records(name).length === 0)
    expect(empty).toEqual([])
  })

  it.each([
    'labels',
    'milestones',
    'boards',
    'issues',
    'merge_requests',
    'commit_notes',
    'releases',
    'ci_pipelines',
    'pipeline_schedules',
    'snippets',
    'protected_branches',
    'protected_tags',
    'push_rule',
    'approval_rules',
    'project_members',
    'project_feature',
    'ci_cd_settings',
    'auto_devops',
    'container_expiration_policy',
    'custom_attributes',
  ])('has the same %s, record by record', (relation) => {
    expect(records(after, relation)).toEqual(records(before, relation))
    expect(records(before, relation).length).toBeGreaterThan(0)
  })

  it.each(['project.bundle', 'project.wiki.bundle'])('has the same trees and refs in %s', (bundle) => {
    expect(refsOf(after, bundle)).toBe(refsOf(before, bundle))
    expect(refsOf(before, bundle)).toContain('refs/heads/')
  })

  it('has refs of merge requests and kept commits', () => {
    const refs = refsOf(before, 'project.bundle')
    for (const ref of ['refs/merge-requests/1/head', 'refs/keep-around/', 'refs/tags/v1.0'])
      expect(refs).toContain(ref)
  })

  it('has the same attributes in the API, and the next IIDs', async () => {
    const read = async (id: number, path: string) => (await w.as(w.root).get(`/projects/${id}${path}`)).body
    const [was, is] = [await read(rich.project.id, ''), await read(copy.id, '')]
    for (const name of [
      'default_branch',
      'open_issues_count',
      'description_html',
      'merge_method',
      'empty_repo',
    ])
      expect({ [name]: is[name] }).toEqual({ [name]: was[name] })
    const [old, now] = [await read(rich.project.id, '/issues/1'), await read(copy.id, '/issues/1')]
    for (const name of ['user_notes_count', 'upvotes', 'time_stats', 'labels', 'state', 'weight'])
      expect({ [name]: now[name] }).toEqual({ [name]: old[name] })
    const made = await w.as(w.root).post(`/projects/${copy.id}/issues`, { title: 'The next one' })
    expect(made.body.iid).toBe(5)
    expect((await read(copy.id, '/labels?search=bug'))[0].description_html).toBe('Does <em>not</em> work')
  })
})
