import type { Ctx } from '../../../ctx.ts'
import type { Mark } from '../../../lib/markdown.ts'
import type { WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import { type AbilityRule, canRead, isAble } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST, REPORTER } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { abilities, fullPath, type Project, project as scope } from '../../projects/index.ts'
import * as store from './store.ts'

/** Kinds of references in texts. */
type WantedKind = 'user' | 'issue' | 'merge_request' | 'snippet' | 'label' | 'milestone' | 'commit' | 'range'

/** A reference to look up. */
export interface WantedReference {
  readonly kind: WantedKind
  /** Full path of the project; undefined for the project of the text. */
  readonly path: string | undefined
  readonly name: string
  readonly quoted: boolean
  /** Appended to the link: `#note_5`. */
  readonly anchor: string
}

/** The context of a text. */
export interface TextContext {
  readonly project?: Project | undefined
  /** The position in a wiki: `[[Page]]` becomes a link, and relative links lead into the wiki. */
  readonly wiki?: WikiPosition | undefined
}

/** The full path of a project in a reference. `project#1` means a project in the same namespace. */
function pathOf(path: string, context: TextContext): string | undefined {
  if (path === '') return undefined
  if (path.includes('/') || !context.project) return path
  return `${context.project.namespace_full_path}/${path}`
}

const KINDS: Readonly<Record<string, WantedKind>> = {
  issues: 'issue',
  merge_requests: 'merge_request',
  snippets: 'snippet',
  milestones: 'milestone',
  commit: 'commit',
}

const INSIDE =
  /^([\w./-]+)\/-\/(issues|merge_requests|snippets|milestones|commit)\/(\d{1,10}|[0-9a-f]{7,40})\/?(#note_\d{1,15})?$/

/** The reference that a URL of this instance stands for, if it has a short form. */
function behind(address: string, base: string): WantedReference | undefined {
  if (!address.startsWith(`${base}/`)) return undefined
  const match = INSIDE.exec(address.slice(base.length + 1))
  if (!match) return undefined
  const [, path, page, name, anchor = ''] = match
  return { kind: KINDS[page!]!, path: path!, name: name!, quoted: false, anchor }
}

/** The reference of a mark; undefined for other URLs. */
export function wantedBy(mark: Mark, context: TextContext, base: string): WantedReference | undefined {
  if (mark.address !== undefined) return behind(mark.address, base)
  const { kind, path, name, quoted } = mark.reference!
  if (kind === 'outside_issue') return undefined
  return { kind, path: pathOf(path, context), name, quoted, anchor: '' }
}

/** The target of a reference, visible to the reader. */
export interface ReferenceTarget {
  /** Path below the instance's URL, without a leading slash. */
  readonly page: string
  readonly title: string
  /** The short form in the project that it belongs to. */
  readonly short: string
  /** Class of the link, if it differs from the kind. */
  readonly kind?: string
  /** The color of a label. */
  readonly color?: string
}

/** Targets by `keyOf`. */
export type ReferenceTargets = Map<string, ReferenceTarget>

/** The references to one project that the reader may see. */
export interface ProjectReferences {
  readonly project: Project
  readonly wanted: readonly WantedReference[]
}

/** A key for a reference. Users and groups have the same key in every project. */
export function keyOf(projectId: number | undefined, { kind, name, quoted }: WantedReference): string {
  return `${kind === 'user' ? '' : projectId}:${kind}:${quoted ? '"' : ''}${name}`
}

type Finder = (
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
) => Map<WantedReference, ReferenceTarget>

const FINDERS: readonly (readonly [WantedKind, Finder])[] = [
  ['issue', findIssues],
  ['merge_request', findMergeRequests],
  ['snippet', findSnippets],
  ['label', findLabels],
  ['milestone', findMilestones],
]

/** Finds the issues, merge requests, snippets, labels and milestones that a text names in one project. */
export function findPlanned(ctx: Ctx, { project, wanted }: ProjectReferences): ReferenceTargets {
  const result: ReferenceTargets = new Map()
  for (const [kind, find] of FINDERS) {
    const ofKind = wanted.filter((reference) => reference.kind === kind)
    if (ofKind.length === 0) continue
    for (const [reference, match] of find(ctx, project, ofKind))
      result.set(keyOf(project.id, reference), match)
  }
  return result
}

function may(ctx: Ctx, project: Project, ability: AbilityRule<Project>): boolean {
  return isAble(ctx, scope, ability, project)
}

/** Matches wanted references with rows of the same number or title. */
function pair<Row>(
  wanted: readonly WantedReference[],
  rows: ReadonlyMap<string, Row>,
  show: (row: Row) => ReferenceTarget,
): Map<WantedReference, ReferenceTarget> {
  const result = new Map<WantedReference, ReferenceTarget>()
  for (const reference of wanted) {
    const row = rows.get(reference.name)
    if (row) result.set(reference, show(row))
  }
  return result
}

const numbers = (wanted: readonly WantedReference[]): number[] =>
  wanted.map((reference) => Number(reference.name))

const names = (wanted: readonly WantedReference[]): string[] => wanted.map((reference) => reference.name)

function byNumber<Row extends store.NumberedRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [String(row.iid), row]))
}

function findIssues(
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
): Map<WantedReference, ReferenceTarget> {
  if (!may(ctx, project, abilities.read_issues)) return new Map()
  const seesConfidential = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER
  const viewer = { id: ctx.actor.id, seesConfidential }
  const rows = store.issuesNumbered(ctx.db, project.id, numbers(wanted), viewer)
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/issues/${iid}`,
    title,
    short: `#${iid}`,
  }))
}

function findMergeRequests(
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
): Map<WantedReference, ReferenceTarget> {
  if (!may(ctx, project, abilities.read_merge_requests)) return new Map()
  const rows = store.mergeRequestsNumbered(ctx.db, project.id, numbers(wanted))
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/merge_requests/${iid}`,
    title,
    short: `!${iid}`,
  }))
}

const READ_SNIPPETS: AbilityRule<Project> = { from: GUEST, feature: 'snippets', public: true }

function findSnippets(
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
): Map<WantedReference, ReferenceTarget> {
  if (!may(ctx, project, READ_SNIPPETS)) return new Map()
  const isMember = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= GUEST
  const isInternal = ctx.actor.kind === 'user' && !ctx.actor.external
  const viewer = { id: ctx.actor.id, isMember, isInternal }
  const rows = store.snippetsNumbered(ctx.db, project.id, numbers(wanted), viewer)
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/snippets/${iid}`,
    title,
    short: `$${iid}`,
  }))
}

/** Whether the reader may see issues or merge requests, and so labels and milestones. */
function plans(ctx: Ctx, project: Project): boolean {
  return may(ctx, project, abilities.read_issues) || may(ctx, project, abilities.read_merge_requests)
}

/** Labels of a project and its groups, by title or id. Labels of the project take precedence over those of groups. */
function findLabels(
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
): Map<WantedReference, ReferenceTarget> {
  if (!plans(ctx, project)) return new Map()
  const rows = store.labelsByName(ctx.db, project, names(wanted))
  const ids = new Map(rows.map((row) => [String(row.id), row]))
  const titles = new Map(rows.map((row) => [row.title, row]))
  const result = new Map<WantedReference, ReferenceTarget>()
  for (const reference of wanted) {
    const row = (reference.quoted ? undefined : ids.get(reference.name)) ?? titles.get(reference.name)
    if (row) result.set(reference, labelTarget(project, row))
  }
  return result
}

function labelTarget(project: Project, { title, color, description }: store.LabelRow): ReferenceTarget {
  const page = `${fullPath(project)}/-/issues?label_name=${encodeURIComponent(title)}`
  return { page, title: description ?? '', short: title, color }
}

/** Milestones of a project by number or title, and those of its groups by title. */
function findMilestones(
  ctx: Ctx,
  project: Project,
  wanted: readonly WantedReference[],
): Map<WantedReference, ReferenceTarget> {
  if (!plans(ctx, project)) return new Map()
  const rows = store.milestonesByName(ctx.db, project, names(wanted))
  const titles = new Map(rows.map((row) => [row.title, row]))
  const ownRows = byNumber(rows.filter((row) => row.group_path === null))
  const result = new Map<WantedReference, ReferenceTarget>()
  for (const reference of wanted) {
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

/** Users and groups that a text mentions. `@all` means the members of the project. */
export function findPeople(
  ctx: Ctx,
  wanted: readonly WantedReference[],
  context: TextContext,
): ReferenceTargets {
  const result: ReferenceTargets = new Map()
  const mentions = wanted.filter((reference) => reference.kind === 'user')
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
      const team = findGroup(ctx, reference.name)
      if (!team || !canRead(ctx, group, team)) continue
      const page = `groups/${team.full_path}`
      result.set(key, { page, title: team.full_name, short: `@${team.full_path}`, kind: 'project_member' })
    }
  }
  return result
}
