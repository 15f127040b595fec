import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { namespaceById } from '../namespaces/index.ts'
import { isBuiltInTemplate, type BuiltInTemplate } from './built-in-templates.ts'
import { abilities } from './policy.ts'
import type { Project } from './project.ts'
import { project as scope } from './scope.ts'
import * as store from './store.ts'

/** A project to begin with: by its id, or by its path in a group of templates. */
export interface TemplateRequest {
  readonly template_name?: string | undefined
  readonly template_project_id?: number | undefined
  readonly use_custom_template?: boolean | undefined
  readonly group_with_project_templates_id?: number | undefined
}

/** The template of the instance to begin with, undefined when none is asked for. */
export function builtInOf(request: TemplateRequest): BuiltInTemplate | undefined {
  const { template_name, use_custom_template } = request
  return use_custom_template !== true && isBuiltInTemplate(template_name) ? template_name : undefined
}

/** The project to begin with, undefined when none is asked for. Throws 400 for one whose code the actor does not read. */
export function templateOf(ctx: Ctx, request: TemplateRequest): Project | undefined {
  const { template_name, template_project_id } = request
  if (template_name === undefined && template_project_id === undefined) return undefined
  const found =
    template_project_id === undefined ? byName(ctx, request) : store.byId(ctx.db, template_project_id)
  if (found && canRead(ctx, scope, found) && isAble(ctx, scope, abilities.read_code, found)) return found
  throw template_project_id === undefined
    ? invalid({ template_name: `'${template_name}' is unknown or invalid` })
    : invalid({ template_project_id: 'is unknown or invalid' })
}

function byName(ctx: Ctx, request: TemplateRequest): Project | undefined {
  const { template_name, use_custom_template, group_with_project_templates_id: id } = request
  const group = use_custom_template && id !== undefined ? namespaceById(ctx.db, id) : undefined
  return group && store.byPath(ctx.db, `${group.full_path}/${template_name}`)
}
