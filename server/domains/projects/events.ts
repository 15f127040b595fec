import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const ids = { project_id: z.number(), actor_id: z.number().nullable() }

/** A project was created and its repository is on disk. */
export const ProjectCreated = event('project.created', { ...ids, initialize_with_readme: z.boolean() })

/** A project that is to be filled from an address was created; the copying has still to be done. */
export const ProjectImportScheduled = event('project.import_scheduled', ids)

/** A project that begins with the code of another one was created; the copying has still to be done. */
export const ProjectTemplateScheduled = event('project.template_scheduled', {
  ...ids,
  template_project_id: z.number(),
})

/** A project that begins with a template of the instance was created; its first commit has still to be made. */
export const ProjectFirstContentScheduled = event('project.first_content_scheduled', {
  ...ids,
  template_name: z.string(),
})

/** Copying into a new project has ended, well or not. */
export const ProjectImportEnded = event('project.import_ended', {
  ...ids,
  status: z.enum(['finished', 'failed', 'canceled']),
})

/** Settings of a project changed; `changed` names the columns. */
export const ProjectUpdated = event('project.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Former and new value of what everybody who sees it may know. */
  changes: columnChangesShape.optional(),
  /** Full path before, when that changed. */
  old_path: z.string().optional(),
})

const paths = {
  ...ids,
  old_path_with_namespace: z.string(),
  path_with_namespace: z.string(),
}

/** A project got another address in the same namespace. */
export const ProjectRenamed = event('project.renamed', paths)

/** A project went to another namespace. */
export const ProjectTransferred = event('project.transferred', {
  ...paths,
  old_namespace_id: z.number(),
  namespace_id: z.number(),
})

/** A project takes no changes any more. */
export const ProjectArchived = event('project.archived', ids)

/** An archived project takes changes again. */
export const ProjectUnarchived = event('project.unarchived', ids)

const link = { ...ids, group_id: z.number(), access_level: z.number() }

/** The members of a group belong to a project now. */
export const ProjectShared = event('project.shared', { ...link, expires_at: z.string().nullable() })

/** They do no more, by hand or because the day came. */
export const ProjectUnshared = event('project.unshared', link)

/** A project will be deleted when the settings' delay is over. */
export const ProjectDeletionMarked = event('project.deletion_marked', ids)

/** A project that was to be deleted stays. */
export const ProjectRestored = event('project.restored', ids)

/** Nothing has happened in a project for long; unless something does, it will be deleted on that day. */
export const ProjectInactivityWarned = event('project.inactivity_warned', {
  ...ids,
  deletion_on: z.string(),
})

/**
 * A project is gone from the database; its repository is still to be removed from its storage. What can no longer be
 * looked up is said here.
 */
export const ProjectDeleted = event(
  'project.deleted',
  {
    ...ids,
    path_with_namespace: z.string(),
    name: z.string(),
    visibility: z.string(),
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

/** A user took their star back. */
export const ProjectUnstarred = event('project.unstarred', ids)
