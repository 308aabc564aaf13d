kP7
require 'a'
# doc
module A
  class B < C
    attr_accessor :x
    def m(a, *b, &c)
      <<~EOS
        text #{a}
      EOS
    end
    def self.m; end
    class << self
      def n = 1
    end
  end
end
