import { hasFields, section, line, unproven, type Fields } from '../section.ts'

const proof = 'GET /application/settings → '

/** The settings of one row of the table, with the type of each. */
function settings(says: string, fields: Fields) {
  return line(says, `${proof}${Object.values(fields)[0]}`, ({ body }) => hasFields(body, fields))
}

export const statements = section(
  'Application settings',
  async (_w, root) => ({ body: (await root.get('/application/settings')).body as object }),
  [
    unproven(
      'A single object. Types seen in the responses and in the settings table (all optional on write):',
      'Introduces the table below.',
    ),
    settings('id | integer', { id: 'integer?' }),
    settings('created_at, updated_at | timestamp', { created_at: 'timestamp', updated_at: 'timestamp' }),
    settings('admin_mode | boolean', { admin_mode: 'boolean?' }),
    settings('admin_notification_email (deprecated), abuse_notification_email | string', {
      admin_notification_email: 'string?',
      abuse_notification_email: 'string?',
    }),
    settings('after_sign_out_path, after_sign_up_text, sign_in_text, home_page_url | string', {
      after_sign_out_path: 'string?',
      after_sign_up_text: 'string?',
      sign_in_text: 'string?',
      home_page_url: 'string?',
    }),
    settings('spamcheck_enabled | boolean (requires spamcheck_api_key)', { spamcheck_enabled: 'boolean?' }),
    settings('spamcheck_api_key | string (required by spamcheck_enabled)', { spamcheck_api_key: 'string?' }),
    settings('allow_group_owners_to_manage_ldap | boolean (PREMIUM)', {
      allow_group_owners_to_manage_ldap: 'boolean?',
    }),
    settings('allow_local_requests_from_hooks_and_services | boolean (deprecated)', {
      allow_local_requests_from_hooks_and_services: 'boolean?',
    }),
    settings(
      'allow_local_requests_from_web_hooks_and_services, allow_local_requests_from_system_hooks | boolean',
      {
        allow_local_requests_from_web_hooks_and_services: 'boolean?',
        allow_local_requests_from_system_hooks: 'boolean?',
      },
    ),
    settings(
      'archive_builds_in_human_readable | string, at least 1 day, e.g. a duration phrase; empty means never expire',
      { archive_builds_in_human_readable: 'string?' },
    ),
    settings('asset_proxy_enabled | boolean (requires asset_proxy_url)', { asset_proxy_enabled: 'boolean?' }),
    settings('asset_proxy_url, asset_proxy_secret_key | string', { asset_proxy_url: 'string?' }),
    settings('asset_proxy_whitelist (deprecated), asset_proxy_allowlist | string or array of strings', {
      asset_proxy_whitelist: 'any',
      asset_proxy_allowlist: 'any',
    }),
    settings(
      'authorized_keys_enabled, auto_devops_enabled, automatic_purchased_storage_allocation | boolean',
      {
        authorized_keys_enabled: 'boolean?',
        auto_devops_enabled: 'boolean?',
        automatic_purchased_storage_allocation: 'boolean?',
      },
    ),
    settings('auto_devops_domain, commit_email_hostname | string', {
      auto_devops_domain: 'string?',
      commit_email_hostname: 'string?',
    }),
    settings('can_create_group | boolean, default true', { can_create_group: 'boolean?' }),
    settings('check_namespace_plan | boolean (PREMIUM)', { check_namespace_plan: 'boolean?' }),
    settings(
      'container_expiration_policies_enable_historic_entries, container_registry_expiration_policies_caching | boolean',
      {
        container_expiration_policies_enable_historic_entries: 'boolean?',
        container_registry_expiration_policies_caching: 'boolean?',
      },
    ),
    settings(
      'container_registry_cleanup_tags_service_max_list_size, container_registry_delete_tags_service_timeout (seconds), container_registry_expiration_policies_worker_capacity, container_registry_token_expire_delay (minutes), package_registry_cleanup_policies_worker_capacity | integer',
      {
        container_registry_cleanup_tags_service_max_list_size: 'integer?',
        container_registry_delete_tags_service_timeout: 'integer?',
        container_registry_expiration_policies_worker_capacity: 'integer?',
        container_registry_token_expire_delay: 'integer?',
        package_registry_cleanup_policies_worker_capacity: 'integer?',
      },
    ),
    settings('deactivate_dormant_users | boolean', { deactivate_dormant_users: 'boolean?' }),
    settings('deactivate_dormant_users_period | integer, days', {
      deactivate_dormant_users_period: 'integer?',
    }),
    settings(
      'default_artifacts_expire_in, default_branch_name, default_ci_config_path, default_preferred_language | string',
      {
        default_artifacts_expire_in: 'string?',
        default_branch_name: 'string?',
        default_ci_config_path: 'string?',
        default_preferred_language: 'string?',
      },
    ),
    settings('default_branch_protection | integer 0, 1, 2; default 2', {
      default_branch_protection: 'integer?',
    }),
    settings(
      'default_group_visibility, default_project_visibility, default_snippet_visibility | `private`, `internal`, `public`; default `private`',
      {
        default_group_visibility: 'any',
        default_project_visibility: 'any',
        default_snippet_visibility: 'any',
      },
    ),
    settings('default_project_creation | integer 0, 1, 2', { default_project_creation: 'integer?' }),
    settings('default_projects_limit | integer, default 100000', { default_projects_limit: 'integer?' }),
    settings('delayed_project_deletion | boolean, default false (PREMIUM SELF)', {
      delayed_project_deletion: 'boolean?',
    }),
    settings('delayed_group_deletion | boolean, default true (PREMIUM SELF)', {
      delayed_group_deletion: 'boolean?',
    }),
    settings('delete_inactive_projects | boolean, default false', { delete_inactive_projects: 'boolean?' }),
    settings('deletion_adjourned_period | integer, days (PREMIUM SELF)', {
      deletion_adjourned_period: 'integer?',
    }),
    settings('session_expire_delay | integer', { session_expire_delay: 'integer?' }),
    settings(
      'max_attachment_size, max_export_size, max_import_size | integer, MB; export and import default 0 = unlimited',
      { max_attachment_size: 'integer?', max_export_size: 'integer?', max_import_size: 'integer?' },
    ),
    settings(
      'restricted_visibility_levels, domain_allowlist, domain_denylist, outbound_local_requests_whitelist | arrays',
      {
        restricted_visibility_levels: 'array',
        domain_allowlist: 'array',
        domain_denylist: 'array',
        outbound_local_requests_whitelist: 'array',
      },
    ),
    settings(
      'domain_denylist_enabled, signup_enabled, gravatar_enabled, user_oauth_applications, enforce_terms, keep_latest_artifact | boolean',
      {
        domain_denylist_enabled: 'boolean?',
        signup_enabled: 'boolean?',
        gravatar_enabled: 'boolean?',
        user_oauth_applications: 'boolean?',
        enforce_terms: 'boolean?',
        keep_latest_artifact: 'boolean?',
      },
    ),
    settings('terms | string', { terms: 'string?' }),
    settings('repository_storages_weighted | object of name to integer weight', {
      repository_storages_weighted: 'object',
    }),
    settings('repository_storages | array of strings', { repository_storages: 'array' }),
    settings('polling_interval_multiplier | decimal', { polling_interval_multiplier: 'any' }),
    settings('terminal_max_session_time | integer', { terminal_max_session_time: 'integer?' }),
    settings(
      'rsa_key_restriction, dsa_key_restriction, ecdsa_key_restriction, ed25519_key_restriction, ecdsa_sk_key_restriction, ed25519_sk_key_restriction | integer',
      {
        rsa_key_restriction: 'integer?',
        dsa_key_restriction: 'integer?',
        ecdsa_key_restriction: 'integer?',
        ed25519_key_restriction: 'integer?',
        ecdsa_sk_key_restriction: 'integer?',
        ed25519_sk_key_restriction: 'integer?',
      },
    ),
    settings('first_day_of_week | integer', { first_day_of_week: 'integer?' }),
    settings('performance_bar_allowed_group_id, file_template_project_id | integer', {
      performance_bar_allowed_group_id: 'integer?',
      file_template_project_id: 'integer?',
    }),
    settings('snippet_size_limit, wiki_page_max_content_bytes | integer, bytes', {
      snippet_size_limit: 'integer?',
      wiki_page_max_content_bytes: 'integer?',
    }),
    settings('issues_create_limit, raw_blob_request_limit | integer', {
      issues_create_limit: 'integer?',
      raw_blob_request_limit: 'integer?',
    }),
    settings(
      'maven_package_requests_forwarding, npm_package_requests_forwarding, pypi_package_requests_forwarding | boolean',
      {
        maven_package_requests_forwarding: 'boolean?',
        npm_package_requests_forwarding: 'boolean?',
        pypi_package_requests_forwarding: 'boolean?',
      },
    ),
    settings('require_admin_approval_after_user_signup, user_show_add_ssh_key_message | boolean', {
      require_admin_approval_after_user_signup: 'boolean?',
      user_show_add_ssh_key_message: 'boolean?',
    }),
    settings('personal_access_token_prefix, rate_limiting_response_text | string', {
      personal_access_token_prefix: 'string?',
      rate_limiting_response_text: 'string?',
    }),
    settings('external_authorization_service_enabled | boolean', {
      external_authorization_service_enabled: 'boolean?',
    }),
    settings('external_authorization_service_url, external_authorization_service_default_label | string', {
      external_authorization_service_url: 'string?',
      external_authorization_service_default_label: 'string?',
    }),
    settings('external_authorization_service_timeout | decimal', {
      external_authorization_service_timeout: 'any',
    }),
    settings(
      'external_pipeline_validation_service_url, external_pipeline_validation_service_token | string',
      {
        external_pipeline_validation_service_url: 'string?',
        external_pipeline_validation_service_token: 'string?',
      },
    ),
    settings('external_pipeline_validation_service_timeout | integer', {
      external_pipeline_validation_service_timeout: 'integer?',
    }),
    settings('tracker_connect_application_key, tracker_connect_proxy_url | string', {
      tracker_connect_application_key: 'string?',
      tracker_connect_proxy_url: 'string?',
    }),
    settings('diagramA_enabled, diagramB_enabled | boolean', {
      diagramA_enabled: 'boolean?',
      diagramB_enabled: 'boolean?',
    }),
    settings('diagramA_url, diagramB_url | string', { diagramA_url: 'string?', diagramB_url: 'string?' }),
    settings('geo_node_allowed_ips | string (PREMIUM)', { geo_node_allowed_ips: 'string?' }),
    settings(
      'geo_status_timeout, group_owners_can_manage_default_branch_protection, disable_personal_access_tokens | PREMIUM/ULTIMATE, listed as returned',
      {
        geo_status_timeout: 'any',
        group_owners_can_manage_default_branch_protection: 'any',
        disable_personal_access_tokens: 'any',
      },
    ),
    settings('local_markdown_version | integer', { local_markdown_version: 'integer?' }),
    settings('floc_enabled | boolean', { floc_enabled: 'boolean?' }),
    unproven(
      'Settings defined alphabetically after deletion_adjourned_period in the settings table: not shown.',
      'The contract does not show them; spec administration does.',
    ),
  ],
)
