import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, REPORTER } from '../../policy/levels.ts'
import { visibleIssues } from '../planning/index.ts'
import { projectsOfMember, projectsWithFeature, visibleProjects } from '../members/index.ts'

/** Who reads the feed, and when. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>
type Condition = RawBuilder<SqlBool>

/** Types of events about notes: a note by itself, in a thread, on lines of a diff. */
export const NOTE_TYPES = sql`('Note', 'DiffNote', 'DiscussionNote')`

/** What the parts below ask of the viewer, each worked out once. */
interface Sight {
  readonly code: Condition
  readonly issues: Condition
  readonly requests: Condition
  readonly snippets: Condition
  readonly wiki: Condition
  /** Issues that are not confidential, or not for the viewer. */
  readonly secrets: Condition
  /** People of the project see what is internal. */
  readonly insider: Condition
  readonly member: Condition
  /** Visibilities of snippets that are open to the viewer. */
  readonly open: RawBuilder<unknown>
  readonly me: number | null
}

function sightOf(viewer: Viewer): Sight {
  const { actor } = viewer
  const insider = seesAll(actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, REPORTER, 'check')
  return {
    code: projectsWithFeature(viewer, 'repository', REPORTER),
    issues: projectsWithFeature(viewer, 'issues', GUEST),
    requests: projectsWithFeature(viewer, 'merge_requests', REPORTER),
    snippets: projectsWithFeature(viewer, 'snippets', GUEST),
    wiki: projectsWithFeature(viewer, 'wiki', GUEST),
    secrets: visibleIssues(viewer),
    insider,
    member: seesAll(actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, GUEST, 'check'),
    open: actor.kind === 'user' && !actor.external ? sql`('public', 'internal')` : sql`('public')`,
    me: actor.id,
  }
}

/** Issues of that id which the viewer may read. */
function issue(sight: Sight, id: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`(${sight.issues} AND EXISTS (SELECT 1 FROM issues i WHERE i.id = ${id} AND ${sight.secrets}))`
}

/** Snippets of a project for members, and for others those that are not private. */
function snippet(sight: Sight, id: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`(${sight.snippets} AND EXISTS (SELECT 1 FROM snippets s WHERE s.id = ${id}
    AND (s.visibility IN ${sight.open} OR s.author_id = ${sight.me} OR ${sight.member})))`
}

/** Notes that are not internal, or seen by people of the project, by what they are written under. */
function note(sight: Sight): Condition {
  const under = sql.raw('o.noteable_id')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM notes o WHERE o.id = e.target_id AND (o.internal = 0 OR ${sight.insider})
    AND CASE o.noteable_type WHEN 'Commit' THEN ${sight.code} WHEN 'MergeRequest' THEN ${sight.requests}
      WHEN 'Issue' THEN ${issue(sight, under)} ELSE ${snippet(sight, under)} END)`
}

/**
 * What the viewer may know of: events of projects they can see, and of what is in them only where they can read that,
 * by the visibility of today. Events outside of projects are of their author alone.
 */
export function visible(viewer: Viewer): Condition {
  if (viewer.actor.is_admin) return sql<SqlBool>`1`
  const sight = sightOf(viewer)
  return sql<SqlBool>`((e.project_id IS NULL AND e.author_id = ${viewer.actor.id})
    OR EXISTS (SELECT 1 FROM projects p WHERE p.id = e.project_id AND ${visibleProjects(viewer, 'check')}
      AND CASE WHEN e.action = 'pushed' THEN ${sight.code}
        WHEN e.target_type IN ${NOTE_TYPES} THEN ${note(sight)}
        WHEN e.target_type = 'Issue' THEN ${issue(sight, sql.raw('e.target_id'))}
        WHEN e.target_type = 'MergeRequest' THEN ${sight.requests}
        WHEN e.target_type = 'WikiPage::Meta' THEN ${sight.wiki}
        WHEN e.target_type = 'Milestone' THEN (${sight.issues} OR ${sight.requests})
        ELSE 1 END))`
}
