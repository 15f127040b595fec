/** A project template. */
export interface ProjectTemplate {
  readonly title: string
  /** One sentence about its content and purpose. */
  readonly description: string
  /** Texts of files by path. `{{name}}` and `{{path}}` are placeholders for the name and path of the project. */
  readonly files: Readonly<Record<string, string>>
}

/** Returns the files of a template with the values of a project for the placeholders. */
export function fillTemplate(
  template: ProjectTemplate,
  project: { readonly name: string; readonly path: string },
): { path: string; text: string }[] {
  return Object.entries(template.files).map(([path, text]) => ({
    path,
    text: text.replaceAll('{{name}}', project.name).replaceAll('{{path}}', project.path),
  }))
}
