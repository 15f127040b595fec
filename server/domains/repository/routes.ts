import * as branches from './branches/routes.ts'
import * as commits from './commits/routes.ts'
import * as writes from './commits/write-routes.ts'
import * as files from './files/routes.ts'
import * as protectedRefs from './protected_refs/routes.ts'
import * as tags from './tags/routes.ts'
import * as tree from './tree/routes.ts'

/** Everything this domain answers, resource by resource. */
export const repositoryRoutes = [tree, files, commits, writes, branches, tags, protectedRefs].flatMap(
  (module) => Object.values(module),
)
