/** A project template. */
export interface ProjectTemplate {
  readonly title: string
  /** One sentence: its content and its purpose. */
  readonly description: string
  /** Path to text. `{{name}}` is the name of the project, `{{path}}` its path. */
  readonly files: Readonly<Record<string, string>>
}

/** The files with values for their placeholders. */
export function filled(
  template: ProjectTemplate,
  project: { readonly name: string; readonly path: string },
): { path: string; text: string }[] {
  return Object.entries(template.files).map(([path, text]) => ({
    path,
    text: text.replaceAll('{{name}}', project.name).replaceAll('{{path}}', project.path),
  }))
}
