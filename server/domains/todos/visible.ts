import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, REPORTER } from '../../policy/levels.ts'
import { visibleIssues } from '../planning/index.ts'
import { projectsOfMember, projectsWithFeature, visibleGroups, visibleProjects } from '../members/index.ts'

/** Who looks at their items, and when. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>

/** The condition that somebody may still see what an item `t` is about; what cannot be seen is not listed (7.2). */
export function visible(viewer: Viewer): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    (t.project_id IS NOT NULL AND EXISTS (SELECT 1 FROM projects p WHERE p.id = t.project_id AND ${inProject(viewer)}))
    OR (t.project_id IS NULL AND EXISTS (SELECT 1 FROM namespaces n WHERE n.id = t.group_id AND ${visibleGroups(viewer)})))`
}

/** The same for items of a project `p`, by what they are about. */
function inProject(viewer: Viewer): RawBuilder<SqlBool> {
  return sql<SqlBool>`(CASE t.target_type
      WHEN 'Issue' THEN ${projectsWithFeature(viewer, 'issues', GUEST)}
        AND EXISTS (SELECT 1 FROM issues i WHERE i.id = t.target_id AND ${visibleIssues(viewer)})
      WHEN 'MergeRequest' THEN ${projectsWithFeature(viewer, 'merge_requests', REPORTER)}
      WHEN 'Commit' THEN ${projectsWithFeature(viewer, 'repository', REPORTER)}
      ELSE ${visibleProjects(viewer, 'check')} END)
    AND (t.note_id IS NULL OR ${insider(viewer)}
      OR EXISTS (SELECT 1 FROM notes o WHERE o.id = t.note_id AND o.internal = 0))`
}

/** Those who see what only people of the project see. */
function insider(viewer: Viewer): RawBuilder<SqlBool> {
  return seesAll(viewer.actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, REPORTER, 'check')
}
