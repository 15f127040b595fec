import * as changelog from './changelog/routes.ts'
import * as submodules from './submodules/routes.ts'
import * as contributors from './contributors/routes.ts'
import * as compare from './compare/routes.ts'
import * as picks from './picks/routes.ts'
import * as blame from './blame/routes.ts'
import * as archive from './archive/routes.ts'
import * as webArchive from './archive/web.ts'
import * as branches from './branches/routes.ts'
import * as codeOwners from './code_owners/routes.ts'
import * as writes from './commits/write-routes.ts'
import * as commits from './commits/routes.ts'
import * as rawFiles from './files/web.ts'
import * as files from './files/routes.ts'
import * as protectedRefs from './protected_refs/routes.ts'
import * as tags from './tags/routes.ts'
import * as tree from './tree/routes.ts'

const resources = [
  changelog,
  submodules,
  contributors,
  compare,
  picks,
  blame,
  archive,
  webArchive,
  tree,
  files,
  commits,
  writes,
  branches,
  tags,
  protectedRefs,
  codeOwners,
  rawFiles,
]

/** All API routes of this domain. Git itself is served separately, because other domains use it too. */
export const repositoryRoutes = resources.flatMap((module): unknown[] => Object.values(module))
