// Generated from the declarations of the server. Do not edit.

export interface AbilityRule { scope?: string; from: number; feature?: string; public?: boolean; archived?: boolean }

export const abilities = {
  read_project: { from: 10, public: true },
  update_project: { from: 40 },
  delete_project: { from: 50, archived: true },
  archive_project: { from: 50, archived: true },
  read_project_members: { from: 10, public: true },
  manage_project_members: { from: 40 },
  read_code: { from: 20, feature: 'repository', public: true },
  push_code: { from: 30, feature: 'repository' },
} satisfies Record<string, AbilityRule>
