// Generated from the declarations of the server. Do not edit.

export type Visibility = 'private' | 'internal' | 'public'

export type UserBasic = {
  id: number
  username: string
  name: string
  state: string
  avatar_url: string | null
  web_url: string
}

export type CurrentUser = UserBasic & {
  email: string
  is_admin?: boolean
  bio: string | null
  created_at: string
  can_create_group: boolean
  can_create_project: boolean
  namespace_id?: number | null
}

export type User = UserBasic & {
  created_at?: string
  bio: string | null
  email?: string
  is_admin?: boolean
  last_activity_on?: string | null
}

export type NamespaceBasic = {
  id: number
  name: string
  path: string
  kind: 'user' | 'group'
  full_path: string
  parent_id: number | null
  avatar_url: string | null
  web_url: string
}

export type Namespace = NamespaceBasic

export type Permission = { access_level: number; notification_level: number } | null

export type Project = {
  id: number
  description: string | null
  name: string
  name_with_namespace: string
  path: string
  path_with_namespace: string
  created_at: string
  default_branch?: string | null
  topics: string[]
  ssh_url_to_repo: string
  http_url_to_repo: string
  web_url: string
  readme_url?: string | null
  avatar_url: string | null
  forks_count?: number
  star_count: number
  last_activity_at: string
  namespace: NamespaceBasic
  empty_repo?: boolean
  archived?: boolean
  visibility?: Visibility
  owner?: UserBasic
  creator_id?: number
  repository_access_level?: string
  permissions?: { project_access: Permission; group_access: Permission }
  statistics?: { commit_count: number; repository_size: number; storage_size: number }
}

export type Group = {
  id: number
  web_url: string
  name: string
  path: string
  description: string | null
  visibility: Visibility
  avatar_url: string | null
  full_name: string
  full_path: string
  created_at: string
  parent_id: number | null
}

export type GroupDetail = Group

export type Member = UserBasic & {
  access_level: number
  created_at: string
  created_by?: UserBasic | null
  expires_at: string | null
}

export type PersonalAccessToken = {
  id: number
  name: string
  revoked: boolean
  created_at: string
  scopes: string[]
  user_id: number
  last_used_at: string | null
  active: boolean
  expires_at: string | null
}

export type PersonalAccessTokenWithToken = PersonalAccessToken & { token: string }

export type ApplicationSettings = {
  id: number
  default_branch_name: string | null
  default_project_visibility: Visibility
  default_group_visibility: Visibility
  signup_enabled: boolean
  require_admin_approval_after_user_signup: boolean
  password_authentication_enabled_for_web: boolean
  [key: string]: unknown
}

export type Session = {
  user: CurrentUser | null
  csrf_token: string | null
  first_run: boolean
  message?: string
  token?: PersonalAccessTokenWithToken
  instance: {
    name: string
    version: string
    url: string
    sign_up_enabled: boolean
    sign_in_text: string | null
    password_sign_in: boolean
  }
}

export type FirstRun = {
  name: string
  username: string
  email: string
  source: string | null
  data_dir: string
  data_dir_bytes_free: number
  git_version: string
  url: string
}

export type FirstRunDone = Session

export type Registered = Session

export type TreeItem = {
  id: string
  name: string
  type: 'tree' | 'blob' | 'commit'
  path: string
  mode: string
}

export type RepositoryFile = {
  file_name: string
  file_path: string
  size: number
  encoding: string
  content: string
  content_sha256: string
  ref: string
  blob_id: string
  commit_id: string
  last_commit_id: string
  execute_filemode: boolean
}

export type Commit = {
  id: string
  short_id: string
  created_at: string
  parent_ids: string[]
  title: string
  message: string
  author_name: string
  author_email: string
  authored_date: string
  committer_name: string
  committer_email: string
  committed_date: string
  trailers: Record<string, string>
  web_url: string
}

export type CommitDetail = Commit & {
  stats?: { additions: number; deletions: number; total: number }
  status: string | null
  project_id: number
  last_pipeline: unknown
}

export type Diff = {
  diff: string
  new_path: string
  old_path: string
  a_mode: string
  b_mode: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
}

export type Branch = {
  name: string
  merged: boolean
  protected: boolean
  default: boolean
  developers_can_push: boolean
  developers_can_merge: boolean
  can_push: boolean
  web_url: string
  commit: Commit
}

export type Tag = {
  name: string
  message: string | null
  target: string
  commit: Commit
  release: { tag_name: string; description: string } | null
  protected: boolean
}

type Id = { id: number | string }
type Paging = { page?: number; per_page?: number; order_by?: string; sort?: 'asc' | 'desc' }
type ProjectFilters = Paging & {
  search?: string
  search_namespaces?: boolean
  visibility?: Visibility
  membership?: boolean
  owned?: boolean
  starred?: boolean
  archived?: boolean
  simple?: boolean
  min_access_level?: number
}

export interface Endpoints {
  'GET /-/session': { params: Record<never, never>; result: Session }
  'POST /-/session': { params: { login: string; password: string }; result: Session }
  'DELETE /-/session': { params: Record<never, never>; result: void }
  'GET /-/first_run': { params: Record<never, never>; result: FirstRun }
  'POST /-/first_run': {
    params: { name: string; username: string; email: string; password: string }
    result: FirstRunDone
  }
  'POST /-/registration': {
    params: { name: string; username: string; email: string; password: string }
    result: Registered
  }
  'POST /-/profile/personal_access_tokens': {
    params: { name: string; scopes: string[]; expires_at?: string }
    result: PersonalAccessTokenWithToken
  }
  'GET /user': { params: Record<never, never>; result: CurrentUser }
  'GET /users': {
    params: Paging & { search?: string; username?: string; active?: boolean; blocked?: boolean }
    result: User[]
  }
  'GET /users/:user_id/projects': { params: ProjectFilters & { user_id: number | string }; result: Project[] }
  'GET /personal_access_tokens': {
    params: Paging & { user_id?: number; state?: 'active' | 'inactive'; revoked?: boolean }
    result: PersonalAccessToken[]
  }
  'DELETE /personal_access_tokens/:id': { params: Id; result: void }
  'GET /namespaces': {
    params: Paging & { search?: string; owned_only?: boolean }
    result: Namespace[]
  }
  'GET /projects': { params: ProjectFilters; result: Project[] }
  'POST /projects': {
    params: {
      name?: string
      path?: string
      namespace_id?: number
      description?: string
      visibility?: Visibility
      default_branch?: string
      initialize_with_readme?: boolean
    }
    result: Project
  }
  'GET /projects/:id': { params: Id & { statistics?: boolean; license?: boolean }; result: Project }
  'PUT /projects/:id': {
    params: Id & {
      name?: string
      path?: string
      description?: string | null
      visibility?: Visibility
      default_branch?: string
    }
    result: Project
  }
  'DELETE /projects/:id': { params: Id; result: { message: string } }
  'POST /projects/:id/star': { params: Id; result: Project }
  'POST /projects/:id/unstar': { params: Id; result: Project }
  'POST /projects/:id/archive': { params: Id; result: Project }
  'POST /projects/:id/unarchive': { params: Id; result: Project }
  'GET /projects/:id/members': { params: Id & Paging & { query?: string }; result: Member[] }
  'GET /projects/:id/members/all': { params: Id & Paging & { query?: string }; result: Member[] }
  'POST /projects/:id/members': {
    params: Id & { user_id?: string; username?: string; access_level: number; expires_at?: string }
    result: Member
  }
  'PUT /projects/:id/members/:user_id': {
    params: Id & { user_id: number; access_level: number }
    result: Member
  }
  'DELETE /projects/:id/members/:user_id': { params: Id & { user_id: number }; result: void }
  'GET /projects/:id/languages': { params: Id; result: Record<string, number> }
  'GET /projects/:id/repository/tree': {
    params: Id & Paging & { ref?: string; path?: string; recursive?: boolean }
    result: TreeItem[]
  }
  'GET /projects/:id/repository/files/:file_path': {
    params: Id & { file_path: string; ref: string }
    result: RepositoryFile
  }
  'GET /projects/:id/repository/commits': {
    params: Id & Paging & { ref_name?: string; path?: string; since?: string; until?: string }
    result: Commit[]
  }
  'GET /projects/:id/repository/commits/:sha': { params: Id & { sha: string; stats?: boolean }; result: CommitDetail }
  'GET /projects/:id/repository/commits/:sha/diff': { params: Id & Paging & { sha: string }; result: Diff[] }
  'GET /projects/:id/repository/branches': { params: Id & Paging & { search?: string }; result: Branch[] }
  'GET /projects/:id/repository/branches/:branch': { params: Id & { branch: string }; result: Branch }
  'POST /projects/:id/repository/branches': { params: Id & { branch: string; ref: string }; result: Branch }
  'DELETE /projects/:id/repository/branches/:branch': { params: Id & { branch: string }; result: void }
  'GET /projects/:id/repository/tags': { params: Id & Paging & { search?: string }; result: Tag[] }
  'POST /projects/:id/repository/tags': {
    params: Id & { tag_name: string; ref: string; message?: string }
    result: Tag
  }
  'DELETE /projects/:id/repository/tags/:tag_name': { params: Id & { tag_name: string }; result: void }
  'GET /groups': {
    params: Paging & { search?: string; owned?: boolean; top_level_only?: boolean; all_available?: boolean }
    result: Group[]
  }
  'POST /groups': {
    params: { name: string; path: string; parent_id?: number; description?: string; visibility?: Visibility }
    result: GroupDetail
  }
  'GET /groups/:id': { params: Id & { with_projects?: boolean }; result: GroupDetail }
  'GET /groups/:id/projects': {
    params: Id & ProjectFilters & { include_subgroups?: boolean }
    result: Project[]
  }
  'GET /groups/:id/subgroups': { params: Id & Paging & { search?: string }; result: Group[] }
  'GET /application/settings': { params: Record<never, never>; result: ApplicationSettings }
  'PUT /application/settings': { params: Partial<ApplicationSettings>; result: ApplicationSettings }
}
