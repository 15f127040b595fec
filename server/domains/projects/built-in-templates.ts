/**
 * Names that `template_name` takes without a group of templates. What they hold is content of the domain `project_templates`, whose
 * types ask for each of them; here only the names are known, so that an unknown one is refused at once.
 */
export const BUILT_IN_TEMPLATES = [
  'static_site',
  'docs_site',
  'node_library',
  'python_package',
  'go_module',
  'rust_crate',
  'rails',
  'ci_example',
] as const

/** One of them. */
export type BuiltInTemplate = (typeof BUILT_IN_TEMPLATES)[number]

/** Whether a name is one of them. */
export function isBuiltInTemplate(name: string | undefined): name is BuiltInTemplate {
  return (BUILT_IN_TEMPLATES as readonly string[]).includes(name ?? '')
}
