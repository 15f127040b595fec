import type { Subscription } from '../../../../events/facts.ts'
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
import type { Look } from '../look.ts'
import { told, type Draft } from '../record.ts'
import { changesIn } from './changes.ts'

function ofGroup(look: Look, id: number, name: string, message: string, details?: Draft['details']): Draft {
  return { name, message, entity: look.group(id), ...(details ? { details } : {}) }
}

function ofProject(look: Look, id: number, name: string, message: string, details?: Draft['details']): Draft {
  return { name, message, entity: look.project(id), ...(details ? { details } : {}) }
}

const move = (from: string, to: string) => ({ change: 'namespace', from, to })

/** What becomes of groups and projects. */
export const places: Subscription[] = [
  told(GroupCreated, (fact, look) =>
    ofGroup(look, fact.group_id, 'group_created', 'Created the group', { add: 'group' }),
  ),
  told(GroupUpdated, (fact, look) => changesIn('group', fact.changes, look.group(fact.group_id))),
  told(GroupRenamed, (fact, look) =>
    ofGroup(
      look,
      fact.group_id,
      'group_path_updated',
      `Moved from ${fact.old_full_path} to ${fact.full_path}`,
      {
        ...move(fact.old_full_path, fact.full_path),
        change: 'path',
      },
    ),
  ),
  told(GroupTransferred, (fact, look) =>
    ofGroup(
      look,
      fact.group_id,
      'group_transferred',
      `Transferred from ${fact.old_full_path} to ${fact.full_path}`,
      move(fact.old_full_path, fact.full_path),
    ),
  ),
  told(GroupDeletionMarked, (fact, look) =>
    ofGroup(look, fact.group_id, 'group_deletion_marked', 'Marked the group for deletion'),
  ),
  told(GroupRestored, (fact, look) =>
    ofGroup(look, fact.group_id, 'group_restored', 'Restored the group that was to be deleted'),
  ),
  told(GroupDeleted, (fact, look) => ({
    name: 'group_destroyed',
    message: `Deleted group ${fact.full_path}`,
    entity: look.group(fact.group_id, fact.full_path),
    details: { remove: 'group' },
  })),
  told(ProjectCreated, (fact, look) =>
    ofProject(look, fact.project_id, 'project_created', 'Created the project', { add: 'project' }),
  ),
  told(ProjectImportScheduled, (fact, look) =>
    ofProject(look, fact.project_id, 'project_import_scheduled', 'Asked to import from an address'),
  ),
  told(ProjectUpdated, (fact, look) => changesIn('project', fact.changes, look.project(fact.project_id))),
  told(ProjectRenamed, (fact, look) => {
    const [from, to] = [fact.old_path_with_namespace, fact.path_with_namespace]
    const details = { change: 'path', from, to }
    return ofProject(look, fact.project_id, 'project_path_updated', `Moved from ${from} to ${to}`, details)
  }),
  told(ProjectTransferred, (fact, look) => {
    const [from, to] = [fact.old_path_with_namespace, fact.path_with_namespace]
    return ofProject(
      look,
      fact.project_id,
      'project_transferred',
      `Transferred from ${from} to ${to}`,
      move(from, to),
    )
  }),
  told(ProjectArchived, (fact, look) =>
    ofProject(look, fact.project_id, 'project_archived', 'Project archived'),
  ),
  told(ProjectUnarchived, (fact, look) =>
    ofProject(look, fact.project_id, 'project_unarchived', 'Project unarchived'),
  ),
  told(ProjectDeletionMarked, (fact, look) =>
    ofProject(look, fact.project_id, 'project_deletion_marked', 'Marked the project for deletion'),
  ),
  told(ProjectRestored, (fact, look) =>
    ofProject(look, fact.project_id, 'project_restored', 'Restored the project that was to be deleted'),
  ),
  told(ProjectDeleted, (fact, look) => ({
    name: 'project_destroyed',
    message: `Deleted project ${fact.path_with_namespace}`,
    entity: look.project(fact.project_id, fact.path_with_namespace),
    details: { remove: 'project' },
  })),
]
