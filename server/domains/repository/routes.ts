import * as changelog from './changelog/routes.ts'
import * as contributors from './contributors/routes.ts'
import * as compare from './compare/routes.ts'
import * as archive from './archive/routes.ts'
import * as webArchive from './archive/web.ts'
import * as refs from './refs/routes.ts'
import * as codeOwners from './code_owners/routes.ts'
import * as writes from './commits/write-routes.ts'
import * as commits from './commits/routes.ts'
import * as rawFiles from './files/web.ts'
import * as files from './files/routes.ts'
import * as protectedRefs from './protected_refs/routes.ts'

const resources = [
  changelog,
  files,
  rawFiles,
  contributors,
  compare,
  commits,
  writes,
  refs,
  archive,
  webArchive,
  protectedRefs,
  codeOwners,
]

/** All API routes of this domain. Git itself is served separately, because other domains use it too. */
export const repositoryRoutes = resources.flatMap((module): unknown[] => Object.values(module))
