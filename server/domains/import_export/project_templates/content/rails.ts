import type { ProjectTemplate } from '../template.ts'

/** A minimal web application on Rails. */
export const rails: ProjectTemplate = {
  title: 'Ruby on Rails',
  description: 'A Rails application with one page and its test, checked by a pipeline.',
  files: {
    'README.md': `# {{name}}

A small web application on Ruby on Rails.

    bundle install
    bin/rails server

The first page is at http://127.0.0.1:3000. \`config/routes.rb\` says which controller answers what; tests are in \`test/\`:

    bin/rails test
`,
    '.gitignore': `/log/*
/tmp/*
/vendor/bundle
/config/master.key
`,
    '.gitlab-ci.yml': `image: ruby:3.4

variables:
  BUNDLE_PATH: vendor/bundle
  RAILS_ENV: test

cache:
  key: gems
  paths: [vendor/bundle]

test:
  script:
    - bundle install --jobs 4
    - bin/rails test
`,
    '.ruby-version': '3.3.6\n',
    Gemfile: `source 'https://rubygems.org'

ruby file: '.ruby-version'

gem 'rails', '~> 8.0'
gem 'puma', '~> 6.4'
`,
    Rakefile: `require_relative 'config/application'
Rails.application.load_tasks
`,
    'config.ru': `require_relative 'config/environment'
run Rails.application
`,
    'bin/rails': `#!/usr/bin/env ruby
APP_PATH = File.expand_path('../config/application', __dir__)
require_relative '../config/boot'
require 'rails/commands'
`,
    'config/boot.rb': `ENV['BUNDLE_GEMFILE'] ||= File.expand_path('../Gemfile', __dir__)
require 'bundler/setup'
`,
    'config/application.rb': `require_relative 'boot'
require 'rails'
require 'action_controller/railtie'
require 'action_view/railtie'
require 'rails/test_unit/railtie'

Bundler.require(*Rails.groups)

module App
  class Application < Rails::Application
    config.load_defaults 8.0
    config.secret_key_base = ENV.fetch('SECRET_KEY_BASE', 'for development only')
  end
end
`,
    'config/environment.rb': `require_relative 'application'
Rails.application.initialize!
`,
    'config/routes.rb': `Rails.application.routes.draw do
  root 'pages#home'
end
`,
    'app/controllers/pages_controller.rb': `class PagesController < ActionController::Base
  def home
    @title = 'Hello'
  end
end
`,
    'app/views/pages/home.html.erb': `<!doctype html>
<title><%= @title %></title>
<h1><%= @title %></h1>
`,
    'test/pages_test.rb': `ENV['RAILS_ENV'] ||= 'test'
require_relative '../config/environment'
require 'rails/test_help'

class PagesTest < ActionDispatch::IntegrationTest
  test 'the first page says hello' do
    get '/'
    assert_response :success
    assert_select 'h1', 'Hello'
  end
end
`,
  },
}
