import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const topicIds = { topic_id: z.number(), actor_id: z.number().nullable() }

/** An administrator created a topic. */
export const TopicCreated = event('topic.created', topicIds)

/** The name, title, description or avatar of a topic changed. */
export const TopicUpdated = event('topic.updated', topicIds)

/** A topic was deleted, or merged into another one. */
export const TopicDeleted = event('topic.deleted', { ...topicIds, merged_into_id: z.number().optional() })

const ids = { project_id: z.number(), actor_id: z.number().nullable() }

/** A project was created and its repository is on disk. */
export const ProjectCreated = event('project.created', { ...ids, initialize_with_readme: z.boolean() })

/** A project with an import address was created; the import follows. */
export const ProjectImportScheduled = event('project.import_scheduled', ids)

/** A project that starts as a copy of another one was created; the copy follows. */
export const ProjectTemplateScheduled = event('project.template_scheduled', {
  ...ids,
  template_project_id: z.number(),
})

/** A project from a built-in template was created; its first commit follows. */
export const ProjectFirstContentScheduled = event('project.first_content_scheduled', {
  ...ids,
  template_name: z.string(),
})

/** An import into a new project ended, with success or an error. */
export const ProjectImportEnded = event('project.import_ended', {
  ...ids,
  status: z.enum(['finished', 'failed', 'canceled']),
})

/** Settings of a project changed; `changed` names the columns. */
export const ProjectUpdated = event('project.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Old and new values of columns that every reader of the project may see. */
  changes: columnChangesShape.optional(),
  /** The former full path, if it changed. */
  old_path: z.string().optional(),
})

const paths = {
  ...ids,
  old_path_with_namespace: z.string(),
  path_with_namespace: z.string(),
}

/** The path of a project changed within its namespace. */
export const ProjectRenamed = event('project.renamed', paths)

/** A project moved to another namespace. */
export const ProjectTransferred = event('project.transferred', {
  ...paths,
  old_namespace_id: z.number(),
  namespace_id: z.number(),
})

/** A project was archived. */
export const ProjectArchived = event('project.archived', ids)

/** A project was unarchived. */
export const ProjectUnarchived = event('project.unarchived', ids)

const link = { ...ids, group_id: z.number(), access_level: z.number() }

/** A project was shared with a group. */
export const ProjectShared = event('project.shared', { ...link, expires_at: z.string().nullable() })

/** A share of a project with a group was removed, or it expired. */
export const ProjectUnshared = event('project.unshared', link)

/** A project was marked for deletion after the delay of the settings. */
export const ProjectDeletionMarked = event('project.deletion_marked', ids)

/** A marked project was restored. */
export const ProjectRestored = event('project.restored', ids)

/** A project has been inactive for months. Without new activity it is deleted on `deletion_on`. */
export const ProjectInactivityWarned = event('project.inactivity_warned', {
  ...ids,
  deletion_on: z.string(),
})

/**
 * A project was deleted from the database; its repository is still on its storage. The event carries the columns
 * that subscribers can no longer look up.
 */
export const ProjectDeleted = event(
  'project.deleted',
  {
    ...ids,
    path_with_namespace: z.string(),
    name: z.string(),
    visibility: z.enum(['private', 'internal', 'public']),
    namespace_id: z.number(),
    namespace_name: z.string(),
    /** Owner of the personal namespace; null in a group. */
    owner_id: z.number().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    repository_storage: z.string(),
    disk_path: z.string(),
  },
  { ends: 'project_id' },
)

/** A user starred a project. */
export const ProjectStarred = event('project.starred', ids)

/** A user removed their star from a project. */
export const ProjectUnstarred = event('project.unstarred', ids)
