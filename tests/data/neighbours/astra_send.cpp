// Reads a network file with ASTRA-sim's analytical network and says how many NPUs it has, then how
// many ns a send of 10^9 bytes from NPU 0 to each NPU that is named takes.
#include "common/NetworkParser.h"
#include "congestion_unaware/Helper.h"

#include <cstdlib>
#include <iostream>

int main(int count, char** words) {
    const NetworkAnalytical::NetworkParser parser(words[1]);
    const auto network = NetworkAnalyticalCongestionUnaware::construct_topology(parser);
    std::cout << network->get_npus_count();
    for (int place = 2; place < count; place++) {
        std::cout << " " << network->send(0, std::atoi(words[place]), 1'000'000'000);
    }
    std::cout << std::endl;
}
