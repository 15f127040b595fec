import { domain } from '../../domain.ts'
import { on } from '../../events/publish.ts'
import { requiresRerender, SettingsChanged } from '../settings/events.ts'
import { ProjectDeleted, ProjectUpdated } from './events.ts'
import { removeFromStorage, writeDefaultBranch } from './repository/repository.ts'
import { rerenderDescriptions } from './service-description.ts'
import { eventsOfProjects } from './visibility.ts'
import { jobs as projectsJobs, crons as projectsCrons } from './jobs.ts'

export { type Feature, type Project, type ProjectColumns, FEATURES, featureLevel, fullPath } from './types.ts'
export { findProject, project } from './service-scope.ts'
export { abilities, abilities as projectAbilities, mayCreateIn } from './policy.ts'
export {
  byId as projectById,
  byIds as projectsByIds,
  byPath as projectByPath,
  update as updateProjectRow,
  networkOf as forkNetworkOf,
  link as setForkParent,
  addPush,
  addUploadSize,
  moveForks,
  writePullMirror,
} from './store.ts'
export * as importedProtections from './protections/store-imported.ts'
export * as protections from './protections/store.ts'
export {
  protectionsOf,
  type LevelKind,
  type LevelRow,
  type Protection,
  type ProtectionEntry,
} from './protections/store.ts'
export { moveSharesAndStars } from './people/store.ts'
export {
  defaultBranchProtection,
  prepareRepository,
  protectDefaultBranch,
  repoOf,
} from './repository/repository.ts'
export { inRepository, translate as translateGitError } from './repository/repository.ts'
export { createProject, insertProject } from './lifecycle/create.ts'
export {
  BLOCKED,
  checkImportUrl,
  parseImportUrl,
  type RemoteCredentials,
} from './repository/import-source.ts'
export {
  removeImportCredentials,
  importSourceOf,
  sealAddressCredentials,
  type ImportSource,
} from './repository/import-source.ts'
export { deleteProject, deleteProjectsIn } from './lifecycle/deletion.ts'
export { visibilitiesIn } from './service.ts'
export { lowerVisibilityIn, setSharedRunnersIn } from './service.ts'
export { updateProject } from './lifecycle/update.ts'
export { findTargetNamespace, transferProject } from './lifecycle/transfer.ts'
export { checkVisibility, allowedVisibility } from './validation.ts'
export { licenseByKey, type License } from './repository/license.ts'
export { renderDescription } from './service-description.ts'
export { rerenderDescriptions } from './service-description.ts'
export { refreshTopicLists } from './topics/store.ts'
export { findProjects } from './lists/service.ts'
export { listParams, projectPage, showProjects } from './lists/params.ts'
export { autoDevops, viewOf, viewsOf, type ProjectView } from './service-views.ts'
export { editSettings } from './settings-params.ts'
export { settingsToColumns, sharedColumns } from './settings-params.ts'
export { BUILT_IN_TEMPLATES, isBuiltInTemplate, type BuiltInTemplate } from './types.ts'

export { projectEvents, projectEventsWhere } from './visibility.ts'
export const projectsDomain = domain({
  name: 'projects',
  subjects: { project_id: 'projects' },
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./action-routes.ts'),
      import('./people/routes.ts'),
      import('./topics/routes.ts'),
    ]),
  jobs: projectsJobs,
  crons: projectsCrons,
  subscribers: [
    on(ProjectDeleted, 'projects.remove_repository', removeFromStorage),
    on(
      ProjectUpdated,
      'projects.write_default_branch',
      (ctx, { project_id }) => writeDefaultBranch(ctx, project_id),
      { only: ({ changes = {} }) => 'default_branch' in changes },
    ),
    on(SettingsChanged, 'projects.render_anew', (ctx) => rerenderDescriptions(ctx, 'projects'), {
      only: requiresRerender,
    }),
  ],
  visibleTo: [eventsOfProjects],
  reloads: {
    project: ['projects', '+/groups/:id', '+/groups/:id/projects'],
    'project.import_ended': ['owner', '-/imports'],
    topic: ['topics', '/projects', '/projects/:id', '/groups/:id/projects', '/users/:user_id/projects'],
  },
})
