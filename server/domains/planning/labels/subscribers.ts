import { on, type Subscription, publish } from '../../../events/publish.ts'
import { GroupTransferred } from '../../groups/events.ts'
import { ProjectTransferred } from '../../projects/events.ts'
import { rerenderDescriptions, projectById, type Project } from '../../projects/index.ts'
import { requiresRerender, SettingsChanged } from '../../settings/events.ts'
import * as store from './store.ts'
import { projectIdsBelow, formerLabels, moveUsesIn } from './store.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { LabelCreated } from '../events.ts'
import { type LabelRow, renderLine } from './label.ts'
import { projectOwner } from '../types-owner.ts'
import { eventFields } from './service.ts'

/** Issues and merge requests keep their labels when a project or group moves to another namespace. */
export const subscribers: readonly Subscription[] = [
  on(ProjectTransferred, 'labels.keep_in_project', (ctx, { project_id }) => keepLabels(ctx, project_id)),
  on(GroupTransferred, 'labels.keep_in_group', (ctx, { group_id }) => {
    for (const id of projectIdsBelow(ctx.db, group_id)) keepLabels(ctx, id)
  }),
  on(SettingsChanged, 'labels.render_anew', (ctx) => rerenderDescriptions(ctx, 'labels', renderLine), {
    only: requiresRerender,
  }),
]

/**
 * Replaces the labels of former parent groups in a moved project: by labels of the new groups with the same title, or
 * by copies in the project.
 */
function keepLabels(ctx: Ctx, projectId: number): void {
  const project = projectById(ctx.db, projectId)
  if (!project) return
  tx(ctx.db, () => {
    for (const former of formerLabels(ctx.db, project)) {
      const label = store.labelsWithTitles(ctx.db, projectOwner(project), [former.title])[0]
      moveUsesIn(ctx.db, project.id, former.id, (label ?? copyInto(ctx, project, former)).id)
    }
  })
}

function copyInto(ctx: Ctx, project: Project, label: LabelRow): LabelRow {
  const copy = store.insert(ctx.db, {
    project_id: project.id,
    group_id: null,
    title: label.title,
    color: label.color,
    description: label.description,
    description_html: label.description_html,
    locked: label.locked,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publish(ctx, LabelCreated, eventFields(ctx, copy))
  return copy
}
