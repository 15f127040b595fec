import type { Subscription } from '../../../../events/publish.ts'
import {
  GroupCreated,
  GroupDeleted,
  GroupDeletionMarked,
  GroupRenamed,
  GroupRestored,
  GroupTransferred,
  GroupUpdated,
} from '../../../groups/events.ts'
import {
  ProjectArchived,
  ProjectCreated,
  ProjectDeleted,
  ProjectDeletionMarked,
  ProjectImportScheduled,
  ProjectRenamed,
  ProjectRestored,
  ProjectTransferred,
  ProjectUnarchived,
  ProjectUpdated,
} from '../../../projects/events.ts'
import type { NameLookup } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { changesIn } from './changes.ts'

function ofGroup(
  look: NameLookup,
  id: number,
  name: string,
  message: string,
  details?: Draft['details'],
): Draft {
  return { name, message, entity: look.group(id), ...(details ? { details } : {}) }
}

function ofProject(
  look: NameLookup,
  id: number,
  name: string,
  message: string,
  details?: Draft['details'],
): Draft {
  return { name, message, entity: look.project(id), ...(details ? { details } : {}) }
}

const move = (from: string, to: string) => ({ change: 'namespace', from, to })

/** Audits changes of groups and projects. */
export const scopes: Subscription[] = [
  audited(GroupCreated, (event, look) =>
    ofGroup(look, event.group_id, 'group_created', 'Created the group', { add: 'group' }),
  ),
  audited(GroupUpdated, (event, look) => changesIn('group', event.changes, look.group(event.group_id))),
  audited(GroupRenamed, (event, look) =>
    ofGroup(
      look,
      event.group_id,
      'group_path_updated',
      `Moved from ${event.old_full_path} to ${event.full_path}`,
      {
        ...move(event.old_full_path, event.full_path),
        change: 'path',
      },
    ),
  ),
  audited(GroupTransferred, (event, look) =>
    ofGroup(
      look,
      event.group_id,
      'group_transferred',
      `Transferred from ${event.old_full_path} to ${event.full_path}`,
      move(event.old_full_path, event.full_path),
    ),
  ),
  audited(GroupDeletionMarked, (event, look) =>
    ofGroup(look, event.group_id, 'group_deletion_marked', 'Marked the group for deletion'),
  ),
  audited(GroupRestored, (event, look) =>
    ofGroup(look, event.group_id, 'group_restored', 'Restored the group that was marked for deletion'),
  ),
  audited(GroupDeleted, (event, look) => ({
    name: 'group_destroyed',
    message: `Deleted group ${event.full_path}`,
    entity: look.group(event.group_id, event.full_path),
    details: { remove: 'group' },
  })),
  audited(ProjectCreated, (event, look) =>
    ofProject(look, event.project_id, 'project_created', 'Created the project', { add: 'project' }),
  ),
  audited(ProjectImportScheduled, (event, look) =>
    ofProject(look, event.project_id, 'project_import_scheduled', 'Scheduled an import from an address'),
  ),
  audited(ProjectUpdated, (event, look) =>
    changesIn('project', event.changes, look.project(event.project_id)),
  ),
  audited(ProjectRenamed, (event, look) => {
    const [from, to] = [event.old_path_with_namespace, event.path_with_namespace]
    const details = { change: 'path', from, to }
    return ofProject(look, event.project_id, 'project_path_updated', `Moved from ${from} to ${to}`, details)
  }),
  audited(ProjectTransferred, (event, look) => {
    const [from, to] = [event.old_path_with_namespace, event.path_with_namespace]
    return ofProject(
      look,
      event.project_id,
      'project_transferred',
      `Transferred from ${from} to ${to}`,
      move(from, to),
    )
  }),
  audited(ProjectArchived, (event, look) =>
    ofProject(look, event.project_id, 'project_archived', 'Project archived'),
  ),
  audited(ProjectUnarchived, (event, look) =>
    ofProject(look, event.project_id, 'project_unarchived', 'Project unarchived'),
  ),
  audited(ProjectDeletionMarked, (event, look) =>
    ofProject(look, event.project_id, 'project_deletion_marked', 'Marked the project for deletion'),
  ),
  audited(ProjectRestored, (event, look) =>
    ofProject(
      look,
      event.project_id,
      'project_restored',
      'Restored the project that was marked for deletion',
    ),
  ),
  audited(ProjectDeleted, (event, look) => ({
    name: 'project_destroyed',
    message: `Deleted project ${event.path_with_namespace}`,
    entity: look.project(event.project_id, event.path_with_namespace),
    details: { remove: 'project' },
  })),
]
