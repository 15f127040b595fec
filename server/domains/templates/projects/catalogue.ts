import type { BuiltInTemplate } from '../../projects/index.ts'
import { ciExample } from './content/ci-example.ts'
import { docsSite } from './content/docs-site.ts'
import { goModule } from './content/go-module.ts'
import { nodeLibrary } from './content/node-library.ts'
import { pythonPackage } from './content/python-package.ts'
import { rails } from './content/rails.ts'
import { rustCrate } from './content/rust-crate.ts'
import { staticSite } from './content/static-site.ts'
import type { ProjectTemplate } from './template.ts'

/** What projects can begin with, in the order in which the window offers it. */
export const TEMPLATES: Readonly<Record<BuiltInTemplate, ProjectTemplate>> = {
  static_site: staticSite,
  docs_site: docsSite,
  node_library: nodeLibrary,
  python_package: pythonPackage,
  go_module: goModule,
  rust_crate: rustCrate,
  rails,
  ci_example: ciExample,
}
