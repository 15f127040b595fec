import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { isAble, type AbilityRule } from '../../policy/ability.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, REPORTER } from '../../policy/levels.ts'
import { abilities, fullPath, project as scope, type Project } from '../projects/index.ts'
import { keyOf, type Asked, type Found, type FoundMap } from './found.ts'
import type { Wanted, WantedKind } from './wanted.ts'

type Finder = (ctx: Ctx, project: Project, wanted: readonly Wanted[]) => Map<Wanted, Found>

const FINDERS: readonly (readonly [WantedKind, Finder])[] = [
  ['issue', findIssues],
  ['merge_request', findMergeRequests],
  ['snippet', findSnippets],
  ['label', findLabels],
  ['milestone', findMilestones],
]

/** Issues, merge requests, snippets, labels and milestones that a text names in one project. */
export function findPlanned(ctx: Ctx, { project, wanted }: Asked): FoundMap {
  const found: FoundMap = new Map()
  for (const [kind, find] of FINDERS) {
    const asked = wanted.filter((one) => one.kind === kind)
    if (asked.length === 0) continue
    for (const [one, thing] of find(ctx, project, asked)) found.set(keyOf(project.id, one), thing)
  }
  return found
}

function may(ctx: Ctx, project: Project, ability: AbilityRule<Project>): boolean {
  return isAble(ctx, scope, ability, project)
}

/** Pairs what is asked for with rows of the same number or title. */
function pair<Row>(
  wanted: readonly Wanted[],
  rows: ReadonlyMap<string, Row>,
  show: (row: Row) => Found,
): Map<Wanted, Found> {
  const found = new Map<Wanted, Found>()
  for (const one of wanted) {
    const row = rows.get(one.name)
    if (row) found.set(one, show(row))
  }
  return found
}

interface Numbered {
  readonly iid: number
  readonly title: string
}

const numbers = (wanted: readonly Wanted[]): string => jsonList(wanted.map((one) => Number(one.name)))

function byNumber<Row extends Numbered>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [String(row.iid), row]))
}

function findIssues(ctx: Ctx, project: Project, wanted: readonly Wanted[]): Map<Wanted, Found> {
  if (!may(ctx, project, abilities.read_issues)) return new Map()
  const seesSecrets = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= REPORTER
  const me = ctx.actor.id
  const rows = ctx.db.many<Numbered>(
    `SELECT i.iid, i.title FROM issues i WHERE i.project_id = ? AND i.iid IN (SELECT value FROM json_each(?))
       AND (i.confidential = 0 OR ? OR i.author_id IS ?
         OR EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id AND a.user_id IS ?))`,
    project.id,
    numbers(wanted),
    seesSecrets ? 1 : 0,
    me,
    me,
  )
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/issues/${iid}`,
    title,
    short: `#${iid}`,
  }))
}

function findMergeRequests(ctx: Ctx, project: Project, wanted: readonly Wanted[]): Map<Wanted, Found> {
  if (!may(ctx, project, abilities.read_merge_requests)) return new Map()
  const rows = ctx.db.many<Numbered>(
    'SELECT iid, title FROM merge_requests WHERE project_id = ? AND iid IN (SELECT value FROM json_each(?))',
    project.id,
    numbers(wanted),
  )
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/merge_requests/${iid}`,
    title,
    short: `!${iid}`,
  }))
}

const READ_SNIPPETS: AbilityRule<Project> = { from: GUEST, feature: 'snippets', public: true }

function findSnippets(ctx: Ctx, project: Project, wanted: readonly Wanted[]): Map<Wanted, Found> {
  if (!may(ctx, project, READ_SNIPPETS)) return new Map()
  const isMember = seesAll(ctx.actor) || scope.roleOf(ctx, project) >= GUEST
  const isInside = ctx.actor.kind === 'user' && !ctx.actor.external
  const rows = ctx.db.many<Numbered>(
    `SELECT id AS iid, title FROM snippets WHERE project_id = ? AND repository_state = 'ready' AND id IN (SELECT value FROM json_each(?))
       AND (? OR visibility = 'public' OR (? AND visibility = 'internal') OR author_id IS ?)`,
    project.id,
    numbers(wanted),
    isMember ? 1 : 0,
    isInside ? 1 : 0,
    ctx.actor.id,
  )
  return pair(wanted, byNumber(rows), ({ iid, title }) => ({
    page: `${fullPath(project)}/-/snippets/${iid}`,
    title,
    short: `$${iid}`,
  }))
}

/** Labels and milestones are there for issues and for merge requests. */
function plans(ctx: Ctx, project: Project): boolean {
  return may(ctx, project, abilities.read_issues) || may(ctx, project, abilities.read_merge_requests)
}

interface LabelFound {
  readonly id: number
  readonly title: string
  readonly color: string
  readonly description: string | null
}

/** Labels of a project and of the groups above it, by title or, in digits, by id; its own go before those of groups. */
function findLabels(ctx: Ctx, project: Project, wanted: readonly Wanted[]): Map<Wanted, Found> {
  if (!plans(ctx, project)) return new Map()
  const names = jsonList(wanted.map((one) => one.name))
  const rows = ctx.db.many<LabelFound>(
    `SELECT id, title, color, description FROM labels
     WHERE (project_id = ? OR group_id IN (SELECT value FROM json_each(?)))
       AND (title IN (SELECT value FROM json_each(?)) OR CAST(id AS TEXT) IN (SELECT value FROM json_each(?)))
     ORDER BY project_id IS NOT NULL, id`,
    project.id,
    project.lineage,
    names,
    names,
  )
  const ids = new Map(rows.map((row) => [String(row.id), row]))
  const titles = new Map(rows.map((row) => [row.title, row]))
  const found = new Map<Wanted, Found>()
  for (const one of wanted) {
    const row = (one.quoted ? undefined : ids.get(one.name)) ?? titles.get(one.name)
    if (row) found.set(one, labelShown(project, row))
  }
  return found
}

function labelShown(project: Project, { title, color, description }: LabelFound): Found {
  const page = `${fullPath(project)}/-/issues?label_name=${encodeURIComponent(title)}`
  return { page, title: description ?? '', short: title, color }
}

interface MilestoneFound extends Numbered {
  readonly group_path: string | null
}

/** Milestones of a project by number or title, and those of the groups above it by title. */
function findMilestones(ctx: Ctx, project: Project, wanted: readonly Wanted[]): Map<Wanted, Found> {
  if (!plans(ctx, project)) return new Map()
  const names = jsonList(wanted.map((one) => one.name))
  const rows = ctx.db.many<MilestoneFound>(
    `SELECT m.iid, m.title, g.full_path AS group_path FROM milestones m LEFT JOIN namespaces g ON g.id = m.group_id
     WHERE (m.project_id = ? OR m.group_id IN (SELECT value FROM json_each(?)))
       AND (m.title IN (SELECT value FROM json_each(?))
         OR (m.group_id IS NULL AND CAST(m.iid AS TEXT) IN (SELECT value FROM json_each(?))))
     ORDER BY m.project_id IS NOT NULL, m.id`,
    project.id,
    project.lineage,
    names,
    names,
  )
  const titles = new Map(rows.map((row) => [row.title, row]))
  const own = byNumber(rows.filter((row) => row.group_path === null))
  const found = new Map<Wanted, Found>()
  for (const one of wanted) {
    const row = (one.quoted ? undefined : own.get(one.name)) ?? titles.get(one.name)
    if (row) found.set(one, milestoneShown(project, row))
  }
  return found
}

function milestoneShown(project: Project, { iid, title, group_path }: MilestoneFound): Found {
  const owner = group_path === null ? fullPath(project) : `groups/${group_path}`
  const quoted = /^[\w.-]+$/.test(title) ? title : `"${title}"`
  return { page: `${owner}/-/milestones/${iid}`, title, short: `%${quoted}` }
}
