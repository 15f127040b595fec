import type { Ctx } from '../../../ctx.ts'
import type { Mark } from '../../../lib/markdown.ts'
import type { WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import { type AbilityRule, canRead, hasAbility } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST, REPORTER } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { abilities, fullPath, type Project, project as scope } from '../../projects/index.ts'
import * as store from './store.ts'

/** The kinds of references in texts. */
type ReferenceKind =
  | 'user'
  | 'issue'
  | 'merge_request'
  | 'snippet'
  | 'label'
  | 'milestone'
  | 'commit'
  | 'range'

/** A reference to look up. */
export interface ReferenceQuery {
  readonly kind: ReferenceKind
  /** The full path of the project. Undefined for the project of the text. */
  readonly path: string | undefined
  readonly name: string
  readonly quoted: boolean
  /** A text that is appended to the link, such as `#note_5`. */
  readonly anchor: string
}

/** The project and the wiki page of a text. */
export interface TextContext {
  readonly project?: Project | undefined
  /** The position in a wiki: `[[Page]]` becomes a link, and relative links lead into the wiki. */
  readonly wiki?: WikiPosition | undefined
}

/** Returns the full path of the project of a reference. `project#1` means a project in the same namespace. */
function pathOf(path: string, context: TextContext): string | undefined {
  if (path === '') return undefined
  if (path.includes('/') || !context.project) return path
  return `${context.project.namespace_full_path}/${path}`
}

const KINDS: Readonly<Record<string, ReferenceKind>> = {
  issues: 'issue',
  merge_requests: 'merge_request',
  snippets: 'snippet',
  milestones: 'milestone',
  commit: 'commit',
}

const RECORD_PATH =
  /^([\w./-]+)\/-\/(issues|merge_requests|snippets|milestones|commit)\/(\d{1,10}|[0-9a-f]{7,40})\/?(#note_\d{1,15})?$/

/** Returns the reference for a URL of this instance. Undefined if the URL has no short form. */
function referenceOfUrl(url: string, base: string): ReferenceQuery | undefined {
  if (!url.startsWith(`${base}/`)) return undefined
  const match = RECORD_PATH.exec(url.slice(base.length + 1))
  if (!match) return undefined
  const [, path, page, name, anchor = ''] = match
  return { kind: KINDS[page!]!, path: path!, name: name!, quoted: false, anchor }
}

/** Returns the reference of a mark. Undefined for other URLs. */
export function queryOf(mark: Mark, context: TextContext, base: string): ReferenceQuery | undefined {
  if (mark.address !== undefined) return referenceOfUrl(mark.address, base)
  const { kind, path, name, quoted } = mark.reference!
  if (kind === 'outside_issue') return undefined
  return { kind, path: pathOf(path, context), name, quoted, anchor: '' }
}

/** The target of a reference, visible to the reader. */
export interface ReferenceTarget {
  /** The path of its page, relative to the URL of the instance, without a leading slash. */
  readonly page: string
  readonly title: string
  /** The short form of the reference, as its own project writes it. */
  readonly short: string
  /** The class of the link, if it differs from the kind. */
  readonly kind?: string
  /** The color of a label. */
  readonly color?: string
}

/** The targets of references, by `keyOf`. */
export type ReferenceTargets = Map<string, ReferenceTarget>

/** The references to records of one project, which the reader may see. */
export interface ProjectReferences {
  readonly project: Project
  readonly queries: readonly ReferenceQuery[]
}

/** Returns a key for a reference. Users and groups have the same key in every project. */
export function keyOf(projectId: number | undefined, { kind, name, quoted }: ReferenceQuery): string {
  return `${kind === 'user' ? '' : projectId}:${kind}:${quoted ? '"' : ''}${name}`
}

type Finder = (
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
) => Map<ReferenceQuery, ReferenceTarget>

const FINDERS: readonly (readonly [ReferenceKind, Finder])[] = [
  ['issue', findIssues],
  ['merge_request', findMergeRequests],
  ['snippet', findSnippets],
  ['label', findLabels],
  ['milestone', findMilestones],
]

/** Finds the issues, merge requests, snippets, labels and milestones of one project that a text refers to. */
export function findRecords(ctx: Ctx, { project, queries }: ProjectReferences): ReferenceTargets {
  const result: ReferenceTargets = new Map()
  for (const [kind, find] of FINDERS) {
    const ofKind = queries.filter((reference) => reference.kind === kind)
    if (ofKind.length === 0) continue
    for (const [reference, match] of find(ctx, project, ofKind))
      result.set(keyOf(project.id, reference), match)
  }
  return result
}

function isAllowed(ctx: Ctx, project: Project, ability: AbilityRule<Project>): boolean {
  return hasAbility(ctx, scope, ability, project)
}

/** Matches references with rows, by number or title. */
function matchByName<Row>(
  queries: readonly ReferenceQuery[],
  rows: ReadonlyMap<string, Row>,
  show: (row: Row) => ReferenceTarget,
): Map<ReferenceQuery, ReferenceTarget> {
  const result = new Map<ReferenceQuery, ReferenceTarget>()
  for (const reference of queries) {
    const row = rows.get(reference.name)
    if (row) result.set(reference, show(row))
  }
  return result
}

const numbers = (queries: readonly ReferenceQuery[]): number[] =>
  queries.map((reference) => Number(reference.name))

const names = (queries: readonly ReferenceQuery[]): string[] => queries.map((reference) => reference.name)

function byNumber<Row extends store.NumberedRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [String(row.iid), row]))
}

function findIssues(
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
): Map<ReferenceQuery, ReferenceTarget> {
  if (!isAllowed(ctx, project, abilities.read_issues)) return new Map()
  const seesConfidential = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER
  const viewer = { id: ctx.actor.id, seesConfidential }
  const rows = store.issuesByIid(ctx.db, project.id, numbers(queries), viewer)
  return matchByName(queries, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/issues/${iid}`,
    title,
    short: `#${iid}`,
  }))
}

function findMergeRequests(
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
): Map<ReferenceQuery, ReferenceTarget> {
  if (!isAllowed(ctx, project, abilities.read_merge_requests)) return new Map()
  const rows = store.mergeRequestsByIid(ctx.db, project.id, numbers(queries))
  return matchByName(queries, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/merge_requests/${iid}`,
    title,
    short: `!${iid}`,
  }))
}

const READ_SNIPPETS: AbilityRule<Project> = { from: GUEST, feature: 'snippets', public: true }

function findSnippets(
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
): Map<ReferenceQuery, ReferenceTarget> {
  if (!isAllowed(ctx, project, READ_SNIPPETS)) return new Map()
  const isMember = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= GUEST
  const isInternal = ctx.actor.kind === 'user' && !ctx.actor.external
  const viewer = { id: ctx.actor.id, isMember, isInternal }
  const rows = store.snippetsById(ctx.db, project.id, numbers(queries), viewer)
  return matchByName(queries, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/snippets/${iid}`,
    title,
    short: `$${iid}`,
  }))
}

/** Whether the reader may see issues or merge requests, and therefore labels and milestones. */
function mayReadPlanning(ctx: Ctx, project: Project): boolean {
  return (
    isAllowed(ctx, project, abilities.read_issues) || isAllowed(ctx, project, abilities.read_merge_requests)
  )
}

/** Finds labels of a project and its groups, by title or ID. A label of the project takes precedence. */
function findLabels(
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
): Map<ReferenceQuery, ReferenceTarget> {
  if (!mayReadPlanning(ctx, project)) return new Map()
  const rows = store.labelsByName(ctx.db, project, names(queries))
  const ids = new Map(rows.map((row) => [String(row.id), row]))
  const titles = new Map(rows.map((row) => [row.title, row]))
  const result = new Map<ReferenceQuery, ReferenceTarget>()
  for (const reference of queries) {
    const row = (reference.quoted ? undefined : ids.get(reference.name)) ?? titles.get(reference.name)
    if (row) result.set(reference, labelTarget(project, row))
  }
  return result
}

function labelTarget(project: Project, { title, color, description }: store.LabelRow): ReferenceTarget {
  const page = `${fullPath(project)}/-/issues?label_name=${encodeURIComponent(title)}`
  return { page, title: description ?? '', short: title, color }
}

/** Finds milestones of a project by IID or title, and those of its groups by title. */
function findMilestones(
  ctx: Ctx,
  project: Project,
  queries: readonly ReferenceQuery[],
): Map<ReferenceQuery, ReferenceTarget> {
  if (!mayReadPlanning(ctx, project)) return new Map()
  const rows = store.milestonesByName(ctx.db, project, names(queries))
  const titles = new Map(rows.map((row) => [row.title, row]))
  const ownRows = byNumber(rows.filter((row) => row.group_path === null))
  const result = new Map<ReferenceQuery, ReferenceTarget>()
  for (const reference of queries) {
    const row = (reference.quoted ? undefined : ownRows.get(reference.name)) ?? titles.get(reference.name)
    if (row) result.set(reference, milestoneTarget(project, row))
  }
  return result
}

function milestoneTarget(project: Project, { iid, title, group_path }: store.MilestoneRow): ReferenceTarget {
  const owner = group_path === null ? fullPath(project) : `groups/${group_path}`
  const quoted = /^[\w.-]+$/.test(title) ? title : `"${title}"`
  return { page: `${owner}/-/milestones/${iid}`, title, short: `%${quoted}` }
}

/** Finds the users and groups that a text mentions. `@all` means the members of the project. */
export function findMentions(
  ctx: Ctx,
  queries: readonly ReferenceQuery[],
  context: TextContext,
): ReferenceTargets {
  const result: ReferenceTargets = new Map()
  const mentions = queries.filter((reference) => reference.kind === 'user')
  if (mentions.length === 0) return result
  const users = store.usersByUsername(ctx.db, names(mentions))
  for (const reference of mentions) {
    const key = keyOf(undefined, reference)
    if (result.has(key)) continue
    const user = users.get(reference.name.toLowerCase())
    if (user) {
      result.set(key, {
        page: user.username,
        title: user.name,
        short: `@${user.username}`,
        kind: 'project_member',
      })
    } else if (reference.name.toLowerCase() === 'all' && context.project) {
      const page = fullPath(context.project)
      result.set(key, {
        page,
        title: 'All Project Members',
        short: `@${reference.name}`,
        kind: 'project_member',
      })
    } else {
      const row = findGroup(ctx, reference.name)
      if (!row || !canRead(ctx, group, row)) continue
      const page = `groups/${row.full_path}`
      result.set(key, { page, title: row.full_name, short: `@${row.full_path}`, kind: 'project_member' })
    }
  }
  return result
}
