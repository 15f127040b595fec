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

function groupDraft(
  lookup: NameLookup,
  id: number,
  name: string,
  message: string,
  details?: Draft['details'],
): Draft {
  return { name, message, entity: lookup.group(id), ...(details ? { details } : {}) }
}

function projectDraft(
  lookup: NameLookup,
  id: number,
  name: string,
  message: string,
  details?: Draft['details'],
): Draft {
  return { name, message, entity: lookup.project(id), ...(details ? { details } : {}) }
}

const namespaceChange = (from: string, to: string) => ({ change: 'namespace', from, to })

/** Audits changes of groups and projects. */
export const scopes: Subscription[] = [
  audited(GroupCreated, (event, lookup) =>
    groupDraft(lookup, event.group_id, 'group_created', 'Created the group', { add: 'group' }),
  ),
  audited(GroupUpdated, (event, lookup) => changesIn('group', event.changes, lookup.group(event.group_id))),
  audited(GroupRenamed, (event, lookup) =>
    groupDraft(
      lookup,
      event.group_id,
      'group_path_updated',
      `Moved from ${event.old_full_path} to ${event.full_path}`,
      {
        ...namespaceChange(event.old_full_path, event.full_path),
        change: 'path',
      },
    ),
  ),
  audited(GroupTransferred, (event, lookup) =>
    groupDraft(
      lookup,
      event.group_id,
      'group_transferred',
      `Transferred from ${event.old_full_path} to ${event.full_path}`,
      namespaceChange(event.old_full_path, event.full_path),
    ),
  ),
  audited(GroupDeletionMarked, (event, lookup) =>
    groupDraft(lookup, event.group_id, 'group_deletion_marked', 'Marked the group for deletion'),
  ),
  audited(GroupRestored, (event, lookup) =>
    groupDraft(lookup, event.group_id, 'group_restored', 'Restored the group that was marked for deletion'),
  ),
  audited(GroupDeleted, (event, lookup) => ({
    name: 'group_destroyed',
    message: `Deleted group ${event.full_path}`,
    entity: lookup.group(event.group_id, event.full_path),
    details: { remove: 'group' },
  })),
  audited(ProjectCreated, (event, lookup) =>
    projectDraft(lookup, event.project_id, 'project_created', 'Created the project', { add: 'project' }),
  ),
  audited(ProjectImportScheduled, (event, lookup) =>
    projectDraft(lookup, event.project_id, 'project_import_scheduled', 'Scheduled an import from an address'),
  ),
  audited(ProjectUpdated, (event, lookup) =>
    changesIn('project', event.changes, lookup.project(event.project_id)),
  ),
  audited(ProjectRenamed, (event, lookup) => {
    const [from, to] = [event.old_path_with_namespace, event.path_with_namespace]
    const details = { change: 'path', from, to }
    return projectDraft(
      lookup,
      event.project_id,
      'project_path_updated',
      `Moved from ${from} to ${to}`,
      details,
    )
  }),
  audited(ProjectTransferred, (event, lookup) => {
    const [from, to] = [event.old_path_with_namespace, event.path_with_namespace]
    return projectDraft(
      lookup,
      event.project_id,
      'project_transferred',
      `Transferred from ${from} to ${to}`,
      namespaceChange(from, to),
    )
  }),
  audited(ProjectArchived, (event, lookup) =>
    projectDraft(lookup, event.project_id, 'project_archived', 'Project archived'),
  ),
  audited(ProjectUnarchived, (event, lookup) =>
    projectDraft(lookup, event.project_id, 'project_unarchived', 'Project unarchived'),
  ),
  audited(ProjectDeletionMarked, (event, lookup) =>
    projectDraft(lookup, event.project_id, 'project_deletion_marked', 'Marked the project for deletion'),
  ),
  audited(ProjectRestored, (event, lookup) =>
    projectDraft(
      lookup,
      event.project_id,
      'project_restored',
      'Restored the project that was marked for deletion',
    ),
  ),
  audited(ProjectDeleted, (event, lookup) => ({
    name: 'project_destroyed',
    message: `Deleted project ${event.path_with_namespace}`,
    entity: lookup.project(event.project_id, event.path_with_namespace),
    details: { remove: 'project' },
  })),
]
